import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How often a closing server closes the connections that have become idle. */
const sweepMs = 50;

/** What a connection has done since its first request. */
interface Connection {
  /** Requests that are not read to their end, or whose answer is not sent to its end. */
  requests: number;
  /** The bytes that were read when the last request ended. */
  bytesRead: number;
}

/**
 * An HTTP/1.1 server that ends in good order. Node counts a connection as idle once `end` was
 * called on its answer, and would cut off the part that the caller has not read yet. Here, a
 * connection is idle when its answers are sent, and no further request has begun.
 */
export class HttpServer extends Server {
  readonly #connections = new Map<Socket, Connection>();
  #isDraining = false;

  constructor(options: ServerOptions = {}) {
    super(options);
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
    for (const [socket, { requests, bytesRead }] of this.#connections) {
      if (requests === 0 && socket.bytesRead === bytesRead) socket.destroy();
    }
  }

  /**
   * Takes no new connections, closes idle ones, and lets running requests finish. After `graceMs`
   * it calls `destroyConnections`, which must destroy all that are still open. Resolves when none
   * is open.
   */
  async closeGracefully(
    graceMs: number,
    destroyConnections: () => void = () => this.closeAllConnections(),
  ): Promise<void> {
    this.drain();
    const cutOff = setTimeout(destroyConnections, graceMs);
    // A connection may become idle later: the header of its answer had promised to keep it open.
    const sweep = setInterval(() => this.closeIdleConnections(), sweepMs);
    await new Promise<void>((resolve) => this.close(() => resolve()));
    clearInterval(sweep);
    clearTimeout(cutOff);
  }

  #count(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    let connection = this.#connections.get(socket);
    if (connection === undefined) {
      connection = { requests: 0, bytesRead: 0 };
      this.#connections.set(socket, connection);
      socket.once("close", () => this.#connections.delete(socket));
    }
    const counted = connection;
    counted.requests += 1;
    let open = 2;
    const onClose = () => {
      open -= 1;
      if (open > 0) return;
      counted.requests -= 1;
      counted.bytesRead = socket.bytesRead;
    };
    request.once("close", onClose);
    response.once("close", onClose);
  }
}
