import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "./listen.ts";

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A real server in the place of the issuer, whose answer can be changed at any time. */
export async function startIssuerServer(answer: Answer) {
  const requests: IncomingMessage[] = [];
  const issuer = { answer, requests };
  const server = createServer((request, response) => {
    requests.push(request);
    issuer.answer(response, request);
  });
  return Object.assign(issuer, await listen(server));
}

export function publish(...keys: readonly object[]): Answer {
  return (response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys }));
  };
}

export function fail(status: number): Answer {
  return (response) => response.writeHead(status).end();
}

/** Takes the request and never answers. */
export const hang: Answer = () => undefined;
