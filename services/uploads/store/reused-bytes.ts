/** Most of the values of a page of fifty fit. */
const blockBytes = 64 * 1024;

/**
 * Copies of bytes, in memory that is used again once they have been cleared. What does not fit into
 * that has memory of its own.
 */
export class ReusedBytes {
  readonly #block = Buffer.allocUnsafeSlow(blockBytes);
  #used = 0;

  /** Copies of before are no longer looked at. */
  clear(): void {
    this.#used = 0;
  }

  copy(bytes: Buffer, start: number, end: number): Buffer {
    const size = end - start;
    if (this.#used + size > blockBytes) return Buffer.from(bytes.subarray(start, end));
    const copy = this.#block.subarray(this.#used, this.#used + size);
    bytes.copy(copy, 0, start, end);
    this.#used += size;
    return copy;
  }
}
