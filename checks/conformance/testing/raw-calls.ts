/** Calls that ordinary HTTP clients would not make: raw bytes, unfinished bodies, plain HTTP/2. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type IncomingHttpHeaders, connect as openSession } from "node:http2";
import { connect } from "node:net";
import { callHeaders } from "../../testing/call-headers.ts";
import { listUploadsPath } from "./json-caller.ts";

const answerTimeMaxMs = 10_000;

/** The status of a call with one `Authorization` header for every token. */
export async function callWithTokens(url: string, tokens: string[]): Promise<number | undefined> {
  const authorization = tokens.map((token) => `Bearer ${token}`);
  const call = request(new URL(listUploadsPath, url), { method: "POST", headers: callHeaders("") });
  call.setHeader("authorization", authorization).end("{}");
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

/** The statuses of the answers to calls that are sent at once on one connection. */
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

/**
 * The status of the answer to a call that sends some 100 KiB of its body and never ends. `length`
 * is its content length; without one the body is chunked.
 */
export async function answerBeforeEnd(
  url: string,
  token: string,
  length: string | undefined,
): Promise<number | undefined> {
  const call = request(new URL(listUploadsPath, url), {
    method: "POST",
    headers: { ...callHeaders(token), ...(length && { "content-length": length }) },
    signal: AbortSignal.timeout(10_000),
  });
  call.write(" ".repeat(100_000));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  // The service may close the connection after its answer.
  call.on("error", () => {});
  call.destroy();
  return response.statusCode;
}

interface Http2Answer {
  headers: IncomingHttpHeaders;
  text: string;
}

/** One POST over cleartext HTTP/2, without an upgrade from HTTP/1.1. */
export async function callHttp2(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Http2Answer> {
  const session = openSession(url);
  try {
    const stream = session.request({ ":method": "POST", ...headers });
    stream.end(body);
    const [answered] = (await once(stream, "response")) as [IncomingHttpHeaders];
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += chunk;
    return { headers: answered, text };
  } finally {
    session.close();
  }
}
