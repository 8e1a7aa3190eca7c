/** A client that receives logout tokens: a real server, which may fail in several ways. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "@stowage/process/testing";

/** Answers a request. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A receiver. The test closes it. */
export interface LogoutReceiver extends AsyncDisposable {
  logoutUri: string;
  /** The received logout tokens, in order. */
  tokens: string[];
}

/** Answers the first requests in turn, and all others with the last answer. */
export async function startLogoutReceiver(...answers: Answer[]): Promise<LogoutReceiver> {
  const tokens: string[] = [];
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    tokens.push(form.get("logout_token") ?? "");
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response, request);
  });
  const { url, close } = await listen(server);
  return { logoutUri: `${url}/logout?of=stowage`, tokens, [Symbol.asyncDispose]: close };
}

/** Answers with a status and nothing else. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(code, headers).end();
}

/** Never answers. */
export const hang: Answer = () => undefined;

/** Breaks the connection. */
export const breakOff: Answer = (_, request) => void request.socket.destroy();

/** Answers with an endless body. */
export const endless: Answer = (response) => {
  response.writeHead(200);
  const write = () => void (response.destroyed || response.write("x".repeat(65_536)));
  response.on("drain", write);
  write();
};
