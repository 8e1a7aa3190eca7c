/**
 * A keep-alive HTTP/1.1 connection that reads answers with a `Content-Length` and keeps nothing of
 * them, so that a request costs the load generator little.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Sockets read into a buffer of this size, again and again. */
const readBytes = 256 * 1024;
const headEnd = "\r\n\r\n";

export class Connection {
  readonly #socket: Socket;
  #answer: PromiseWithResolvers<void> | undefined;
  /** The part of the head that has arrived; undefined while a body is read. */
  #head: string | undefined = "";
  #bodyBytesLeft = 0;

  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.#socket, "connect");
    return connection;
  }

  private constructor(port: number) {
    const onread = {
      buffer: Buffer.allocUnsafe(readBytes),
      callback: (count: number, buffer: Uint8Array) => this.#read(buffer.subarray(0, count)),
    };
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
    this.#socket.on("error", (error) => this.#answer?.reject(error));
    this.#socket.on("close", () => this.#fail("the server closed the connection"));
  }

  /** Resolves when the whole answer has arrived. Rejects unless its status is 200. */
  send(request: Buffer): Promise<void> {
    this.#answer = Promise.withResolvers();
    this.#socket.write(request);
    return this.#answer.promise;
  }

  close(): void {
    this.#answer = undefined;
    this.#socket.destroy();
  }

  #read(bytes: Uint8Array): boolean {
    let bodyBytes = bytes.length;
    if (this.#head !== undefined) {
      const lengthBefore = this.#head.length;
      this.#head += Buffer.from(bytes).toString("latin1");
      const end = this.#head.indexOf(headEnd);
      if (end < 0) return true;
      const bodyStart = end + headEnd.length;
      bodyBytes = lengthBefore + bytes.length - bodyStart;
      const body = this.#head.slice(bodyStart);
      if (!this.#beginBody(this.#head.slice(0, bodyStart), body)) return false;
    }
    this.#bodyBytesLeft -= bodyBytes;
    if (this.#bodyBytesLeft > 0) return true;
    this.#head = "";
    this.#answer?.resolve();
    return true;
  }

  #beginBody(head: string, body: string): boolean {
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
    if (status !== "200" || length === undefined) {
      this.#fail(`got status ${status}: ${body}`);
      this.#socket.destroy();
      return false;
    }
    this.#head = undefined;
    this.#bodyBytesLeft = Number(length);
    return true;
  }

  #fail(text: string): void {
    this.#answer?.reject(new Error(`Cannot measure: ${text}`));
  }
}
