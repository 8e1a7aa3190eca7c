import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectSocket } from "node:net";
import type { Endpoint } from "./caller.ts";

/** An HTTP/2 session without TLS. */
export function connectHttp2({ port, localAddress }: Endpoint): ClientHttp2Session {
  return connect(`http://127.0.0.1:${port}`, {
    createConnection: () => connectSocket({ port, host: "127.0.0.1", localAddress }),
  });
}
