/** Calls of a client that keeps its connections and never sends a call again. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { callHeaders } from "../../testing/call-headers.ts";

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
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the answer in another way than at once. */
  readonly read?: (response: IncomingMessage, signal: AbortSignal) => Promise<string>;
}

export interface Client {
  /** Rejects if the connection breaks, or if the answer is not complete after 60 s. */
  call(options: CallOptions): Promise<Reply>;
  /** The same over HTTP/2. Resolves with the status. */
  callHttp2(session: ClientHttp2Session, options: CallOptions): Promise<number>;
  openHttp2(): ClientHttp2Session;
  /** Closes the kept connections. */
  closeIdle(): void;
}

/** Longer than any deadline of the service. */
const answerTimeMaxMs = 60_000;

/** @param localAddress from which it calls: another loopback address for each organisation. */
export function openClient(url: string, localAddress = "127.0.0.1"): Client {
  const newAgent = () => new Agent({ keepAlive: true, maxSockets: 256, localAddress } as object);
  let agent = newAgent();
  return {
    call({ path, body, token, signal, headers = {}, read = textOf }) {
      const timeout = AbortSignal.timeout(answerTimeMaxMs);
      const end = signal ? AbortSignal.any([signal, timeout]) : timeout;
      return new Promise((resolve, reject) => {
        const allHeaders = { ...callHeaders(token), ...headers };
        const options = { method: "POST", headers: allHeaders, agent, signal: end };
        const sent = request(new URL(path, url), options, (response) => {
          const { statusCode: status = 0, headers: answered } = response;
          read(response, end).then((text) => resolve({ status, headers: answered, text }), reject);
        });
        sent.on("error", reject).end(JSON.stringify(body));
      });
    },
    async callHttp2(session, { path, body, token, signal, headers = {} }) {
      const stream = session.request(
        { ":method": "POST", ":path": path, ...callHeaders(token), ...headers },
        { ...(signal && { signal }) },
      );
      let status = 0;
      stream.on("response", (head) => (status = Number(head[constants.HTTP2_HEADER_STATUS])));
      stream.end(JSON.stringify(body));
      await textOf(stream);
      return status;
    },
    openHttp2() {
      const { port, hostname: host } = new URL(url);
      const createConnection = () => connect({ port: Number(port), host, localAddress });
      // The calls of the scenario report what breaks.
      return connectHttp2(url, { createConnection }).on("error", () => undefined);
    },
    closeIdle() {
      agent.destroy();
      agent = newAgent();
    },
  };
}
