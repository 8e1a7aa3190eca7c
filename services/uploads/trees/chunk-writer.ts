import type { WriteChunk } from "../http/handler.ts";

/** Good for a socket, and little beside what else a call needs. */
const chunkBytes = 64 * 1024;

/** Gathers the pieces of an answer into chunks, in one buffer that is used over and over. */
export class ChunkWriter {
  readonly #write: WriteChunk;
  #buffer = Buffer.allocUnsafeSlow(4 * chunkBytes);
  #length = 0;
  #hasSent = false;

  constructor(write: WriteChunk) {
    this.#write = write;
  }

  add(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#buffer.length) this.#grow(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Sends what has come together if it is a chunk; the first in any case: it is waited for. */
  async sendFull(): Promise<void> {
    if (this.#length >= chunkBytes || !this.#hasSent) await this.sendAll();
  }

  async sendAll(): Promise<void> {
    if (this.#length === 0) return;
    this.#hasSent = true;
    await this.#write(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }

  #grow(by: number): void {
    const buffer = Buffer.allocUnsafeSlow(2 * (this.#length + by));
    buffer.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = buffer;
  }
}
