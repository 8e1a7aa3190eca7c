/** Requests to another server, whose answers are streamed. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import {
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from "node:http";
import { Agent as HttpsAgent, request as requestSecurely } from "node:https";
import { pipeline } from "node:stream/promises";

/** Longest time without a byte from the other server. */
const silenceMaxMs = 60_000;
/** Most connections to one server. */
const connectionsMax = 256;

const agentOptions = { keepAlive: true, maxSockets: connectionsMax, scheduling: "lifo" } as const;
const agents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };

interface UpstreamRequest {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Uint8Array;
  /** Aborts when the browser is gone: the other server then stops working, too. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request, and resolves with the head of the answer.
 *
 * @param path sent as it is, with the query
 * @throws the error of the connection
 */
export async function openUpstream(
  origin: URL,
  path: string,
  options: UpstreamRequest,
): Promise<IncomingMessage> {
  try {
    return await attempt(origin, path, options);
  } catch (error) {
    // The server closed an idle connection just when it was used again. All requests are safe to
    // repeat, and their bodies are at hand.
    if (!(error instanceof StaleConnectionError) || options.signal.aborted) throw error;
    return await attempt(origin, path, options);
  }
}

class StaleConnectionError extends Error {}

async function attempt(
  origin: URL,
  path: string,
  { method, headers, body, signal }: UpstreamRequest,
): Promise<IncomingMessage> {
  const isSecure = origin.protocol === "https:";
  const outgoing = (isSecure ? requestSecurely : request)(origin, {
    ...{ method, path, headers, signal, timeout: silenceMaxMs },
    agent: isSecure ? agents.https : agents.http,
  });
  // Later errors reach whoever reads the answer.
  outgoing.on("error", () => undefined);
  outgoing.on("timeout", () => outgoing.destroy(new Error("the server does not answer")));
  outgoing.end(body);
  try {
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return answer;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isStale = outgoing.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
    throw isStale ? new StaleConnectionError("the connection was closed", { cause }) : cause;
  }
}

/** Sends an answer on to the browser, as fast as it reads. If it breaks off, so does ours. */
export async function sendOn(
  answer: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, headers);
  // The head is of use before the first byte: a browser shows that the download begins.
  response.flushHeaders();
  await pipeline(answer, response);
}

/** Reads a short answer whole. @throws if it is longer than `bytesMax` */
export async function readWhole(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`an answer has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Picks headers by name. Those of one connection, cookies and credentials are never among them. */
export function pick(
  headers: IncomingMessage["headers"],
  names: readonly string[],
): OutgoingHttpHeaders {
  const picked = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(picked.filter(([, value]) => value !== undefined));
}
