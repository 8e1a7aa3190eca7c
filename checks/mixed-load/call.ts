/** Calls of a client that keeps its connections and never sends a call again. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { callHeaders } from "../testing/call-headers.ts";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface CallOptions {
  readonly path: string;
  readonly body: object;
  readonly token: string;
  /** Breaks the connection when it aborts. */
  readonly signal?: AbortSignal;
  /** Reads nothing of the answer until this resolves. */
  readonly readAfter?: (signal: AbortSignal) => Promise<void>;
}

export interface Client {
  /** Rejects if the connection breaks, or if the answer is not complete after 60 s. */
  call(options: CallOptions): Promise<Reply>;
  /** Closes the kept connections. */
  closeIdle(): void;
}

/** Longer than any deadline of the service. */
const answerTimeMaxMs = 60_000;

export function openClient(url: string): Client {
  let agent = new Agent({ keepAlive: true, maxSockets: 256 });

  function call({ path, body, token, signal, readAfter }: CallOptions): Promise<Reply> {
    const timeout = AbortSignal.timeout(answerTimeMaxMs);
    const end = signal ? AbortSignal.any([signal, timeout]) : timeout;
    return new Promise((resolve, reject) => {
      const options = { method: "POST", headers: callHeaders(token), agent, signal: end };
      const sent = request(new URL(path, url), options, (response) => {
        const reading = readAfter?.(end).then(() => readReply(response)) ?? readReply(response);
        reading.then(resolve, reject);
      });
      sent.on("error", reject).end(JSON.stringify(body));
    });
  }

  return {
    call,
    closeIdle() {
      agent.destroy();
      agent = new Agent({ keepAlive: true, maxSockets: 256 });
    },
  };
}

function readReply(response: IncomingMessage): Promise<Reply> {
  const { statusCode: status = 0, headers } = response;
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) => {
    response.on("data", (piece: Buffer) => pieces.push(piece));
    response.on("end", () => {
      resolve({ status, headers, text: Buffer.concat(pieces).toString() });
    });
    // An answer that was broken off before anything read it emits no event any more.
    if (response.destroyed && !response.readableEnded) reject(new Error("broken off"));
    response.on("error", reject).on("aborted", () => reject(new Error("broken off")));
  });
}
