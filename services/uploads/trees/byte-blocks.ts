const firstBlockBytes = 4 * 1024;
const blockBytesMax = 1024 * 1024;

/**
 * Collects bytes in blocks. They are copied only once, at the end, because copying many at once
 * blocks other calls.
 */
export class ByteBlocks {
  #fullBlocks: Uint8Array[] = [];
  #last = new Uint8Array(0);
  #used = 0;
  bytes = 0;

  /** Adds so many bytes and returns them. They may be written at any time. */
  add(count: number): Uint8Array {
    if (this.#used + count > this.#last.length) {
      this.#fullBlocks.push(this.#last.subarray(0, this.#used));
      const usual = Math.min(Math.max(firstBlockBytes, 2 * this.#last.length), blockBytesMax);
      this.#last = new Uint8Array(Math.max(usual, count));
      this.#used = 0;
    }
    const added = this.#last.subarray(this.#used, this.#used + count);
    this.#used += count;
    this.bytes += count;
    return added;
  }

  /** Returns all bytes together, and keeps none. */
  async takeAll(afterBlock: () => Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
    const all = new Uint8Array(this.bytes);
    let at = 0;
    const blocks = [...this.#fullBlocks, this.#last.subarray(0, this.#used)];
    this.#fullBlocks = [];
    this.#last = new Uint8Array(0);
    for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
      all.set(block, at);
      at += block.length;
      await afterBlock();
    }
    return all;
  }
}
