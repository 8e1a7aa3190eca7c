/** A row with its values in binary format (PostgreSQL manual, "Message Formats", DataRow). */
export class BinaryRow {
  #bytes: Buffer = Buffer.alloc(0);
  /** Where each value begins, and its length; -1 is null. */
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  /** Takes the next row. */
  read(bytes: Buffer): void {
    this.#bytes = bytes;
    const count = bytes.readInt16BE(0);
    let at = 2;
    for (let index = 0; index < count; index++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      this.#starts[index] = at;
      this.#lengths[index] = length;
      if (length > 0) at += length;
    }
  }

  /** The text in UTF-8, a part of the row; none for null. */
  text(index: number): Buffer | undefined {
    const start = this.#starts[index] ?? 0;
    const length = this.#lengths[index] ?? -1;
    return length < 0 ? undefined : this.#bytes.subarray(start, start + length);
  }

  isTrue(index: number): boolean {
    return this.#lengths[index] === 1 && this.#bytes[this.#starts[index] ?? 0] === 1;
  }

  /** A bigint of at most 2^53-1; 0 for null. */
  integer(index: number): number {
    const text = this.text(index);
    return text === undefined ? 0 : Number(text.readBigInt64BE());
  }
}
