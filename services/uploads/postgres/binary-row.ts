/** A row with its values in binary format (PostgreSQL manual, "Message Formats", DataRow). */
export class BinaryRow {
  #bytes: Buffer = Buffer.alloc(0);
  /** Where each value begins, and its length; -1 is null. */
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  /** Takes the next row, which begins at `start`. The bytes must not change while it is read. */
  read(bytes: Buffer, start = 0): void {
    this.#bytes = bytes;
    const count = bytes.readInt16BE(start);
    let at = start + 2;
    for (let index = 0; index < count; index++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      this.#starts[index] = at;
      this.#lengths[index] = length;
      if (length > 0) at += length;
    }
  }

  /** What the places of values are in. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  start(index: number): number {
    return this.#starts[index] ?? 0;
  }

  /** That of the start for null. */
  end(index: number): number {
    return this.start(index) + Math.max(0, this.#lengths[index] ?? 0);
  }

  isNull(index: number): boolean {
    return (this.#lengths[index] ?? -1) < 0;
  }

  /** The text in UTF-8, a part of the row; none for null. */
  text(index: number): Buffer | undefined {
    return this.isNull(index)
      ? undefined
      : this.#bytes.subarray(this.start(index), this.end(index));
  }

  isTrue(index: number): boolean {
    return this.#lengths[index] === 1 && this.#bytes[this.start(index)] === 1;
  }

  /** A bigint of at most 2^53-1; 0 for null. */
  integer(index: number): number {
    if (this.isNull(index)) return 0;
    const start = this.start(index);
    return this.#bytes.readInt32BE(start) * 2 ** 32 + this.#bytes.readUInt32BE(start + 4);
  }

  /** An integer of four bytes. */
  int32(index: number): number {
    return this.#bytes.readInt32BE(this.start(index));
  }

  smallInteger(index: number): number {
    return this.#bytes.readInt16BE(this.start(index));
  }
}
