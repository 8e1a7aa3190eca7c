import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How often a closing server closes the connections that have become idle. */
const sweepMs = 50;
/** A connection that has sent nothing may still begin for this time after closing has begun. */
const silentMs = 1000;

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
  #isDraining = false;
  #closesSilent = false;

  constructor(options: ServerOptions = {}) {
    super(options);
    this.on("connection", (socket: Socket) => this.#add(socket));
    this.on("request", (request, response) => {
      this.#count(request, response);
      if (this.#isDraining) response.shouldKeepAlive = false;
    });
  }

  /** Still accepts requests, but closes each connection after its next answer. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Node calls this in `close` too. */
  override closeIdleConnections(): void {
    for (const [socket, { openMessages, bytesRead }] of this.#connections) {
      if (socket.bytesRead === 0 && !this.#closesSilent) continue;
      if (openMessages === 0 && socket.bytesRead === bytesRead) socket.destroy();
    }
  }

  /**
   * Takes no new connections, closes idle ones, and lets running requests finish. A connection
   * that has sent nothing has a second to begin. After `graceMs` this calls `destroyConnections`,
   * which must destroy all that are still open. Resolves when none is open.
   */
  async closeGracefully(
    graceMs: number,
    destroyConnections: () => void = () => this.closeAllConnections(),
  ): Promise<void> {
    this.drain();
    const cutOff = setTimeout(destroyConnections, graceMs);
    const tooLate = setTimeout(() => {
      this.#closesSilent = true;
    }, silentMs);
    // A connection may become idle later: the header of its answer had promised to keep it open.
    const sweep = setInterval(() => this.closeIdleConnections(), sweepMs);
    await new Promise<void>((resolve) => this.close(() => resolve()));
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
