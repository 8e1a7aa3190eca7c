/**
 * One port for HTTP/1.1 and cleartext HTTP/2 (RFC 9113, prior knowledge). The first bytes of a
 * connection decide which of Node's servers gets it: an HTTP/2 client sends `PRI`, which is no
 * HTTP/1.1 method. The HTTP/1.1 server is the one that listens, so that its time limits apply.
 */
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2Session,
  constants as http2Constants,
} from "node:http2";
import type { Socket } from "node:net";
import { type AddressLimit, countConnections, HttpServer } from "@stowage/process";
import type { RequestListener } from "./node-http.ts";
import { type CallLimits, pauseMaxMs } from "./running-call.ts";

export interface ConnectionLimits extends AddressLimit {
  /** Open connections. Further ones are closed at once. */
  readonly connectionsMax: number;
  /** A call without traffic is broken off after this time, even if its caller does not read. */
  readonly idleTimeoutMs: number;
  /** The time within which a whole HTTP/1.1 request must arrive, from its first byte. */
  readonly requestTimeoutMs: number;
  /** A connection without a call is closed after this time. */
  readonly keepAliveTimeoutMs: number;
}

export const connectionLimits: ConnectionLimits = {
  connectionsMax: 10_000,
  idleTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 75_000,
  addressConnectionsMax: 1000,
  trustedProxies: [],
};

/**
 * The time without traffic if a call may work for `timeoutMaxMs` before it sends something, and its
 * caller may pause before it reads on.
 */
export function idleTimeoutFor(limits: CallLimits): number {
  return Math.max(limits.timeoutMaxMs, pauseMaxMs(limits)) + connectionLimits.idleTimeoutMs;
}

const headerBytesMax = 32 * 1024;
/** Calls at the same time on one HTTP/2 connection. */
const streamsMax = 256;
/** The time that a caller has to close its side of an HTTP/2 connection that was closed here. */
const closingMs = 1000;

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Still accepts calls, but closes each HTTP/1.1 connection after its next answer. */
  drain(): void;
  /** Accepts no new calls, waits at most `graceMs` for running ones, then cuts them off. */
  close(graceMs: number): Promise<void>;
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** Whether other processes may listen on the same port and share its connections. */
  readonly isShared?: boolean;
}

/** Listens on a port; port 0 is any free one. Rejects when the port is not available. */
export async function listen(
  { host, port, isShared = false }: Address,
  listener: RequestListener,
  limits: ConnectionLimits = connectionLimits,
): Promise<Listening> {
  const http1 = new HttpServer({
    maxHeaderSize: headerBytesMax,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.ceil(limits.requestTimeoutMs / 4),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    keepAlive: true,
    noDelay: true,
  });
  http1.on("request", listener);
  http1.timeout = limits.idleTimeoutMs;
  const { serveHttp2, closeSessions } = createHttp2(listener, limits);

  const [serveHttp1] = http1.listeners("connection");
  if (serveHttp1 === undefined) throw new Error("Cannot listen: node:http serves no connections");
  const isAllowed = countConnections(http1, limits);
  http1.off("connection", serveHttp1 as () => void).on("connection", (socket: Socket) => {
    if (!isAllowed(socket)) {
      socket.destroy();
      return;
    }
    chooseServer(socket, limits, (isHttp2) => {
      if (isHttp2) serveHttp2(socket);
      else serveHttp1.call(http1, socket);
    });
  });

  const { connectionsMax } = limits;
  const found = await http1.listenOn({ host, port, isShared, connectionsMax });
  return {
    host,
    port: found,
    drain: () => http1.drain(),
    async close(graceMs) {
      closeSessions();
      await http1.closeGracefully(graceMs);
    },
  };
}

function createHttp2(listener: RequestListener, limits: ConnectionLimits) {
  const sessions = new Set<Http2Session>();
  let closing = false;
  const http2: Http2Server = createHttp2Server(
    { settings: { maxConcurrentStreams: streamsMax, maxHeaderListSize: headerBytesMax } },
    listener,
  );
  http2.on("stream", (stream) => {
    stream.setTimeout(limits.idleTimeoutMs, () => stream.close(http2Constants.NGHTTP2_CANCEL));
  });
  const serveHttp2 = (socket: Socket) => {
    http2.once("session", (session) => {
      sessions.add(session);
      session.once("close", () => sessions.delete(session));
      closeInTime(session, socket, limits);
      if (closing) session.close();
    });
    // Begins the session at once.
    http2.emit("connection", socket);
  };
  const closeSessions = () => {
    closing = true;
    for (const session of sessions) session.close();
  };
  return { serveHttp2, closeSessions };
}

/**
 * Cuts off a session with streams but without traffic. Closes one that had no stream for a time: it
 * tells the caller, so that no call is lost. A caller that does not close its side then is cut off.
 */
function closeInTime(
  session: Http2Session,
  socket: Socket,
  { idleTimeoutMs, keepAliveTimeoutMs }: ConnectionLimits,
): void {
  let streams = 0;
  const close = () => {
    session.close();
    timer = setTimeout(() => socket.destroy(), closingMs);
  };
  let timer = setTimeout(close, keepAliveTimeoutMs);
  socket.once("close", () => clearTimeout(timer));
  session.on("stream", (stream) => {
    streams += 1;
    clearTimeout(timer);
    stream.once("close", () => {
      streams -= 1;
      if (streams === 0 && !socket.destroyed) timer = setTimeout(close, keepAliveTimeoutMs);
    });
  });
  session.setTimeout(idleTimeoutMs, () => {
    if (streams > 0) session.destroy();
  });
}

const http2Start = "PRI";

function chooseServer(
  socket: Socket,
  limits: ConnectionLimits,
  choose: (isHttp2: boolean) => void,
): void {
  // Until a server has the connection, nothing else handles its errors and its end.
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
    // The HTTP/2 server does not see an end that came before it got the socket.
    if (!isHttp2) socket.off("end", giveUp);
    choose(isHttp2);
  };
  socket.on("readable", onReadable);
}
