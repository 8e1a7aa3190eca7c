/** One keep-alive connection to a server of this machine, with one request under way at a time. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Answer, ResponseReader } from "./response-reader.ts";

/** Sockets read into this; nothing of it is kept. */
const readBytes = 256 * 1024;

export class Connection implements Disposable {
  readonly #socket: Socket;
  readonly #reader = new ResponseReader((answer) => this.#settle?.resolve(answer));
  #settle: PromiseWithResolvers<Answer> | undefined;
  #onFirstByte: (() => void) | undefined;

  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.#socket, "connect");
    return connection;
  }

  private constructor(port: number) {
    const onread = {
      buffer: Buffer.allocUnsafe(readBytes),
      callback: (count: number, buffer: Uint8Array) => {
        this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, count));
        return true;
      },
    };
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
    this.#socket.on("error", (error) => this.#settle?.reject(error));
    this.#socket.on("close", () => {
      this.#settle?.reject(new Error("the server closed the connection amid a request"));
    });
  }

  /** Sends a whole request, as bytes, and waits for the whole answer. */
  ask(request: Buffer, onFirstByte?: () => void): Promise<Answer> {
    this.#settle = Promise.withResolvers();
    this.#onFirstByte = onFirstByte;
    this.#socket.write(request);
    return this.#settle.promise;
  }

  #read(bytes: Buffer): void {
    this.#onFirstByte?.();
    this.#onFirstByte = undefined;
    try {
      this.#reader.read(bytes);
    } catch (error) {
      this.#settle?.reject(error);
      this.#socket.destroy();
    }
  }

  [Symbol.dispose](): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }
}
