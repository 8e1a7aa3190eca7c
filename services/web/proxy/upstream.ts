/** Requests to another server. `forward-answer.ts` streams their answers to the browser. */
import { once } from "node:events";
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from "node:http";
import { Agent as HttpsAgent, request as requestSecurely } from "node:https";

interface UpstreamLimits {
  /** Most connections to one server. */
  readonly connectionsMax: number;
  /** Most requests that wait for a connection. */
  readonly waitingMax: number;
  /** Longest time until the head of an answer is there, with the wait for a connection. */
  readonly answerMaxMs: number;
  /** Longest time in which an answer is not read, if a request waits for its connection. */
  readonly contendedPauseMaxMs: number;
}

const usualLimits: UpstreamLimits = {
  connectionsMax: 256,
  waitingMax: 1000,
  answerMaxMs: 30_000,
  contendedPauseMaxMs: 60_000,
};

/** A request that waits for a connection looks this often for an answer to end. */
const contentionIntervalMs = 1000;

interface UpstreamRequest {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Uint8Array;
  /** Aborts when the browser is gone: the other server then stops working, too. */
  readonly signal: AbortSignal;
}

class StaleConnectionError extends Error {}

interface Pause {
  /** The origin of the server. */
  readonly server: string;
  readonly sinceMs: number;
}

/**
 * Connections to other servers. What must not wait for each other has an upstream of its own.
 *
 * An answer keeps its connection for as long as the browser takes to read it. When a request waits
 * for one, the answer of that server that has been paused longest is ended if it was paused for
 * long. Otherwise a few people could keep all others waiting, by reading nothing.
 */
export class Upstream {
  readonly #limits: UpstreamLimits;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  #waiting = 0;
  /** The answers that are not read now, longest first. */
  readonly #pauses = new Map<IncomingMessage, Pause>();

  /** @param proxyEnv the environment, if servers are reached as its `HTTPS_PROXY` says */
  constructor(limits: Partial<UpstreamLimits> = {}, proxyEnv?: NodeJS.ProcessEnv) {
    this.#limits = { ...usualLimits, ...limits };
    const { connectionsMax: maxSockets } = this.#limits;
    const options = { keepAlive: true, maxSockets, scheduling: "lifo", proxyEnv } as const;
    this.#agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  }

  /**
   * Sends a request, and resolves with the head of the answer.
   *
   * @param path sent as it is, with the query
   * @throws the error of the connection, or one that says which limit was reached
   */
  async open(origin: URL, path: string, options: UpstreamRequest): Promise<IncomingMessage> {
    const { signal } = options;
    const limit = new AbortController();
    const timer = setTimeout(() => {
      limit.abort(new Error("the server does not answer in time"));
    }, this.#limits.answerMaxMs);
    const giveUp = AbortSignal.any([signal, limit.signal]);
    try {
      return await this.#attempt(origin, path, options, giveUp);
    } catch (error) {
      giveUp.throwIfAborted();
      // The server closed an idle connection just when it was used again. All requests are safe to
      // repeat, and their bodies are at hand.
      if (!(error instanceof StaleConnectionError)) throw error;
      return await this.#attempt(origin, path, options, giveUp);
    } finally {
      clearTimeout(timer);
    }
  }

  async #attempt(
    origin: URL,
    path: string,
    { method, headers, body, signal }: UpstreamRequest,
    giveUp: AbortSignal,
  ): Promise<IncomingMessage> {
    giveUp.throwIfAborted();
    if (this.#waiting >= this.#limits.waitingMax) {
      throw new Error(`${this.#waiting} requests wait for a connection already`);
    }
    const isSecure = origin.protocol === "https:";
    const outgoing = (isSecure ? requestSecurely : request)(origin, {
      method,
      path,
      headers,
      signal,
      agent: isSecure ? this.#agents.https : this.#agents.http,
    });
    this.#countUntilConnected(outgoing, origin.origin);
    // Later errors reach the code that reads the answer.
    outgoing.on("error", () => undefined);
    outgoing.end(body);
    try {
      // A request without a connection reports nothing when it is destroyed: the signal does.
      const [answer] = (await once(outgoing, "response", { signal: giveUp })) as [IncomingMessage];
      this.#watchPauses(answer, origin.origin);
      return answer;
    } catch (cause) {
      outgoing.destroy();
      const { code } = cause as NodeJS.ErrnoException;
      const isStale = outgoing.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
      throw isStale ? new StaleConnectionError("the connection was closed", { cause }) : cause;
    }
  }

  /** A request that was given up keeps its place until a connection is free. */
  #countUntilConnected(outgoing: ClientRequest, server: string): void {
    this.#waiting += 1;
    let isWaiting = true;
    const timer = setInterval(() => {
      if (!outgoing.destroyed) this.#endLongestPause(server);
    }, contentionIntervalMs).unref();
    const stop = () => {
      if (isWaiting) this.#waiting -= 1;
      isWaiting = false;
      clearInterval(timer);
    };
    outgoing.once("socket", stop).once("close", stop);
  }

  /** Whoever sends an answer on pauses it while the browser takes no more. */
  #watchPauses(answer: IncomingMessage, server: string): void {
    const forget = () => this.#pauses.delete(answer);
    answer.on("pause", () => this.#pauses.set(answer, { server, sinceMs: performance.now() }));
    answer.on("resume", forget).on("close", forget);
  }

  #endLongestPause(server: string): void {
    const { contendedPauseMaxMs: maxMs } = this.#limits;
    const longest = this.#pauses.entries().find(([, pause]) => pause.server === server);
    if (longest === undefined) return;
    const [answer, { sinceMs }] = longest;
    if (performance.now() - sinceMs < maxMs) return;
    this.#pauses.delete(answer);
    answer.destroy(new Error(`nobody read for ${maxMs} ms, and others wait for the connection`));
  }
}

/** Longest time that a short answer may take after its head. */
const wholeMaxMs = 10_000;

/** Reads a short answer whole. @throws if it is longer than `bytesMax`, or takes too long */
export async function readWhole(
  answer: IncomingMessage,
  bytesMax: number,
  timeMaxMs = wholeMaxMs,
): Promise<Buffer> {
  const timer = setTimeout(() => {
    answer.destroy(new Error(`an answer takes more than ${timeMaxMs} ms`));
  }, timeMaxMs);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of answer) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new Error(`an answer has more than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
  }
}

const discardedBytesMax = 16 * 1024;

/** Drops an answer that nobody needs. If it is short, its connection can be used again. */
export function discard(answer: IncomingMessage): void {
  readWhole(answer, discardedBytesMax).catch(() => undefined);
}

/** Picks headers by name. Those of one connection, cookies and credentials are never among them. */
export function pick(
  headers: IncomingMessage["headers"],
  names: readonly string[],
): OutgoingHttpHeaders {
  const picked = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(picked.filter(([, value]) => value !== undefined));
}
