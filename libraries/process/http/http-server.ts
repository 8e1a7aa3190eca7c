import { once } from "node:events";
import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http";
import {
  type AddressInfo,
  createServer,
  type ListenOptions,
  type Server as NetServer,
  type Socket,
} from "node:net";

/**
 * Sockets that listen on a shared port. In each turn of the event loop, Node accepts one connection
 * of a socket. While the turns are long, callers who connect anew for each call make others wait.
 * Beside 500 such calls a second, the p99 of others who do the same was 24 and 12 ms with one
 * socket, and 10 and 12 ms with eight (two runs each).
 */
const socketsOfSharedPort = 8;

/** How often a closing server closes the connections that have become idle. */
const sweepMs = 50;
/** A connection that has sent nothing may still begin for this time after closing has begun. */
const silentMs = 1000;
/** Fewer bytes are as good as none: they are no method, and do not tell HTTP/2 from HTTP/1.1. */
const firstBytesMin = 3;

interface ListenAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The setting of the port, for errors. Default: PORT. */
  readonly setting?: string;
  /** Whether other processes may listen on the same port and share its connections. */
  readonly isShared: boolean;
  /**
   * Open connections. Further ones are closed at once, with the event `drop`. Each socket of a
   * shared port has an equal part, so that some are closed a little earlier.
   */
  readonly connectionsMax: number;
}

/** What a connection has done. */
interface Connection {
  /** Requests that are not read to their end, and answers that are not sent to their end. */
  openMessages: number;
  /** The bytes that were read when the last message ended. */
  bytesRead: number;
}

/**
 * An HTTP/1.1 server that ends in good order. Node counts a connection as idle once `end` was
 * called on its answer, and would cut off the part that the caller has not read yet. Here, a
 * connection is idle when its answers are sent, and no further request has begun. Node never counts
 * one as idle that has sent nothing, such as those that browsers open in advance.
 */
export class HttpServer extends Server {
  readonly #connections = new Map<Socket, Connection>();
  readonly #options: ServerOptions;
  /** The further sockets of a shared port. Their connections are served as those of this one. */
  readonly #others: NetServer[] = [];
  #isDraining = false;
  #closesSilent = false;

  constructor(options: ServerOptions = {}) {
    super(options);
    this.#options = options;
    this.on("connection", (socket: Socket) => this.#add(socket));
    this.on("request", (request, response) => {
      useOriginForm(request);
      this.#count(request, response);
      if (this.#isDraining) response.shouldKeepAlive = false;
    });
  }

  /** Returns the port. Rejects when it is not available. */
  async listenOn(listening: ListenAddress): Promise<number> {
    const { host, port, isShared, connectionsMax } = listening;
    const sockets = isShared ? socketsOfSharedPort : 1;
    this.maxConnections = Math.ceil(connectionsMax / sockets);
    const address = { host, exclusive: true, reusePort: isShared };
    try {
      const found = await startListening(this, { ...address, port });
      while (this.#others.length < sockets - 1) {
        const other = this.#createOther();
        this.#others.push(other);
        await startListening(other, { ...address, port: found });
      }
      return found;
    } catch (error) {
      for (const server of [this, ...this.#others]) server.close();
      throw cannotListen(listening, error);
    }
  }

  #createOther(): NetServer {
    const { noDelay = true, keepAlive = false } = this.#options;
    const other = createServer({ allowHalfOpen: true, noDelay, keepAlive });
    other.maxConnections = this.maxConnections;
    return other
      .on("connection", (socket) => this.emit("connection", socket))
      .on("drop", (dropped) => this.emit("drop", dropped));
  }

  /** Still accepts requests, but closes each connection after its next answer. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Node calls this in `close` too. */
  override closeIdleConnections(): void {
    for (const [socket, { openMessages, bytesRead }] of this.#connections) {
      const isSilent = socket.bytesRead < firstBytesMin;
      const isIdle = openMessages === 0 && socket.bytesRead === bytesRead;
      if (isSilent ? this.#closesSilent : isIdle) socket.destroy();
    }
  }

  /**
   * Takes no new connections, closes idle ones, and lets running requests finish. A connection
   * that has sent nothing has a second to begin. After `graceMs` this cuts off all that are still
   * open. Resolves when none is open.
   */
  async closeGracefully(graceMs: number): Promise<void> {
    this.drain();
    const cutOff = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, graceMs);
    const tooLate = setTimeout(() => {
      this.#closesSilent = true;
    }, silentMs);
    // A connection may become idle later: the header of its answer had promised to keep it open.
    const sweep = setInterval(() => this.closeIdleConnections(), sweepMs);
    const servers: NetServer[] = [this, ...this.#others];
    await Promise.all(
      servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
    clearInterval(sweep);
    clearTimeout(tooLate);
    clearTimeout(cutOff);
  }

  #count(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket) ?? this.#add(socket);
    for (const message of [request, response]) {
      connection.openMessages += 1;
      message.once("close", () => {
        connection.openMessages -= 1;
        connection.bytesRead = socket.bytesRead;
      });
    }
  }

  #add(socket: Socket): Connection {
    const connection = { openMessages: 0, bytesRead: 0 };
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    return connection;
  }
}

/**
 * RFC 9112 section 3.2.2: a server takes targets like `http://host/path` too, as proxies send them,
 * and their host counts rather than the header's.
 */
function useOriginForm(request: IncomingMessage): void {
  const [, host, path = ""] = /^https?:\/\/([^/?#@]+)([^#]*)$/i.exec(request.url ?? "") ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = path.startsWith("/") ? path : `/${path}`;
}

/** System errors of a host that is an unknown name, or no address of this machine. */
const hostErrors = /^(EADDRNOTAVAIL|EAFNOSUPPORT|EAI_\w+|EINVAL|ENOTFOUND)$/;

export function cannotListen(
  { host, port, setting = "PORT" }: Pick<ListenAddress, "host" | "port" | "setting">,
  cause: unknown,
): Error {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const blamed = hostErrors.test(code) ? "HOST, need an address of this machine" : setting;
  return new Error(`Cannot listen on ${host} port ${port} (${blamed})`, { cause });
}

/** Returns the port. Rejects when it is not available. */
export async function startListening(server: NetServer, options: ListenOptions): Promise<number> {
  server.listen(options);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
