/** Calls written byte by byte, for what HTTP clients would not send. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { listUploadsPath } from "./json-caller.ts";

const answerTimeMaxMs = 10_000;

/** The status of a call with one `Authorization` header for every token. */
export async function callWithTokens(url: string, tokens: string[]): Promise<number | undefined> {
  const call = request(new URL(listUploadsPath, url), { method: "POST" });
  call.setHeader(
    "authorization",
    tokens.map((token) => `Bearer ${token}`),
  );
  call.setHeader("connect-protocol-version", "1");
  call.setHeader("content-type", "application/json");
  call.end("{}");
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** A whole HTTP/1.1 request. */
export function rawCall(token: string, body: string): string {
  return [
    `POST ${listUploadsPath} HTTP/1.1`,
    "host: uploads",
    `authorization: Bearer ${token}`,
    "connect-protocol-version: 1",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}

/** The statuses of the answers to calls that are all sent at once on one connection. */
export async function pipelinedStatuses(url: string, calls: string[]): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(answerTimeMaxMs, () => socket.destroy());
  socket.write(calls.join(""));
  let text = "";
  let statuses: number[] = [];
  for await (const chunk of socket.setEncoding("latin1")) {
    text += chunk;
    statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
    if (statuses.length === calls.length) break;
  }
  return statuses;
}
