import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A real server in the place of the issuer, whose answer can be changed at any time. */
export async function startIssuerServer(answer: Answer) {
  const requests: IncomingMessage[] = [];
  const issuer = {
    answer,
    requests,
    address: "",
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  const server = createServer((request, response) => {
    requests.push(request);
    issuer.answer(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  issuer.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return issuer;
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
