/**
 * One port for HTTP/1.1 and cleartext HTTP/2 (RFC 9113, prior knowledge). An HTTP/2 client's first
 * bytes are `PRI`, which no HTTP/1.1 method is; so the first bytes say which server takes over.
 *
 * The HTTP/1.1 server is the one that listens, so that its own limits on time hold; before it
 * serves a connection, the first bytes are looked at.
 */
import { createServer as createHttp1Server } from "node:http";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2Session,
  constants as http2Constants,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { RequestListener } from "./request-listener.ts";

/** Limits on connections. */
export interface ConnectionLimits {
  /** Open connections; further ones are closed at once. */
  readonly connectionsMax: number;
  /**
   * A connection on which nothing moves for this long is closed: a caller that does not read, too.
   */
  readonly idleTimeoutMs: number;
  /** A whole HTTP/1.1 request must be there in this time, and its headers. */
  readonly requestTimeoutMs: number;
}

export const connectionLimits: ConnectionLimits = {
  connectionsMax: 10_000,
  idleTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
};

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

export interface Address {
  readonly host: string;
  readonly port: number;
  /** Whether other processes may listen there too: connections are then divided among them. */
  readonly isShared?: boolean;
}

/** Listens on a port, or on a free one for port 0. Rejects when the port cannot be had. */
export async function listen(
  { host, port, isShared = false }: Address,
  listener: RequestListener,
  limits: ConnectionLimits = connectionLimits,
): Promise<Listening> {
  const http1 = createHttp1Server(
    {
      maxHeaderSize: headerBytesMax,
      requestTimeout: limits.requestTimeoutMs,
      headersTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(limits.requestTimeoutMs / 4),
      keepAlive: true,
      noDelay: true,
    },
    listener,
  );
  http1.maxConnections = limits.connectionsMax;
  http1.timeout = limits.idleTimeoutMs;
  const { http2, closeSessions } = createHttp2(listener, limits);

  const [serveHttp1] = http1.listeners("connection");
  if (serveHttp1 === undefined) throw new Error("Cannot listen: node:http serves no connections");
  const sockets = new Set<Socket>();
  http1.removeAllListeners("connection").on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    chooseServer(socket, limits, (isHttp2) => {
      if (isHttp2) http2.emit("connection", socket);
      else serveHttp1.call(http1, socket);
    });
  });

  const listening = Promise.withResolvers<void>();
  http1.once("error", listening.reject);
  http1.listen({ host, port, exclusive: true, reusePort: isShared }, listening.resolve);
  await listening.promise;

  return {
    host,
    port: (http1.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise((resolve) => http1.close(resolve));
      // A client may keep a connection long after its last call; none is kept for another.
      const sweep = setInterval(() => http1.closeIdleConnections(), sweepMs);
      closeSessions();
      const cutOff = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(cutOff);
    },
  };
}

function createHttp2(listener: RequestListener, { idleTimeoutMs }: ConnectionLimits) {
  const sessions = new Set<Http2Session>();
  let closing = false;
  const http2: Http2Server = createHttp2Server(
    { settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: headerBytesMax } },
    listener,
  );
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.setTimeout(idleTimeoutMs, () => session.destroy());
    if (closing) session.close();
  });
  http2.on("stream", (stream) => {
    stream.setTimeout(idleTimeoutMs, () => stream.close(http2Constants.NGHTTP2_CANCEL));
  });
  const closeSessions = () => {
    closing = true;
    for (const session of sessions) session.close();
  };
  return { http2, closeSessions };
}

const http2Start = "PRI";

function chooseServer(
  socket: Socket,
  limits: ConnectionLimits,
  choose: (isHttp2: boolean) => void,
): void {
  // A connection that breaks or ends before it has a server has nobody else to hear of it.
  const giveUp = () => socket.destroy();
  socket.on("error", giveUp).on("timeout", giveUp).on("end", giveUp);
  socket.setTimeout(limits.requestTimeoutMs);

  let seen = Buffer.alloc(0);
  const onReadable = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    seen = Buffer.concat([seen, chunk]);
    const start = seen.toString("latin1", 0, http2Start.length);
    if (start.length < http2Start.length && http2Start.startsWith(start)) return;

    socket.off("readable", onReadable).off("error", giveUp).off("timeout", giveUp).setTimeout(0);
    socket.unshift(seen);
    const isHttp2 = start === http2Start;
    // The server for HTTP/2 takes over from the socket, and does not see an end that came before.
    if (!isHttp2) socket.off("end", giveUp);
    choose(isHttp2);
  };
  socket.on("readable", onReadable);
}
