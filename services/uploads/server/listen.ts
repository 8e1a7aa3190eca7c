/**
 * One port for HTTP/1.1 and cleartext HTTP/2 (RFC 9113, prior knowledge). An HTTP/2 client's first
 * bytes are `PRI`, which no HTTP/1.1 method is; so the first bytes say which server takes over.
 */
import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server, type Http2Session } from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { RequestListener } from "./request-listener.ts";

/** A connection that has sent nothing for this long is closed. */
const firstBytesTimeoutMs = 10_000;
/** A whole HTTP/1.1 request must be there in this time. */
const requestTimeoutMs = 60_000;
/** How often connections that have become idle are closed, once the server is to close. */
const sweepMs = 50;
const headerBytesMax = 32 * 1024;
/** Calls under way on one HTTP/2 connection. */
const streamsMax = 256;

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Takes no new calls, lets running ones end for at most `graceMs`, then cuts them off. */
  close(graceMs: number): Promise<void>;
}

/** Listens on a port, or on a free one for port 0. Rejects when the port cannot be had. */
export async function listen(
  { host, port }: { host: string; port: number },
  listener: RequestListener,
): Promise<Listening> {
  const http1 = createHttp1Server(
    // Repeated headers are joined, so that a second Authorization is seen and refused.
    { joinDuplicateHeaders: true, maxHeaderSize: headerBytesMax, requestTimeout: requestTimeoutMs },
    listener,
  );
  const http2 = createHttp2Server(
    { settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: headerBytesMax } },
    listener,
  );
  const sessions = new Set<Http2Session>();
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  const sockets = new Set<Socket>();
  const tcp = createTcpServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    chooseServer(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit("connection", socket));
  });

  const listening = Promise.withResolvers<void>();
  tcp.once("error", listening.reject);
  tcp.listen({ host, port }, listening.resolve);
  await listening.promise;

  return {
    host,
    port: (tcp.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise((resolve) => tcp.close(resolve));
      // A client may keep a connection long after its last call; none is kept for another.
      const sweep = setInterval(() => http1.closeIdleConnections(), sweepMs);
      for (const session of sessions) session.close();
      const cutOff = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(cutOff);
    },
  };
}

const http2Start = "PRI";

function chooseServer(socket: Socket, choose: (isHttp2: boolean) => void): void {
  // A connection that breaks before it has a server has nobody else to hear of it.
  const ignoreError = () => socket.destroy();
  socket.on("error", ignoreError);
  socket.setTimeout(firstBytesTimeoutMs, () => socket.destroy());

  let seen = Buffer.alloc(0);
  const onReadable = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    seen = Buffer.concat([seen, chunk]);
    const start = seen.toString("latin1", 0, http2Start.length);
    if (start.length < http2Start.length && http2Start.startsWith(start)) return;

    socket.off("readable", onReadable);
    socket.off("error", ignoreError);
    socket.setTimeout(0);
    socket.removeAllListeners("timeout");
    socket.unshift(seen);
    choose(start === http2Start);
  };
  socket.on("readable", onReadable);
}
