/** `PGCOPY\n\xff\r\n\0`, flags, and the length of an extension of the header, which has none. */
const headerBytes = 19;
/** Where a row has its number of fields: there are no more rows. */
const trailer = -1;

/** One row after the other of a binary COPY (PostgreSQL manual, COPY, "Binary Format"). */
export class CopiedRow {
  #message: Buffer = Buffer.alloc(0);
  #isFirst = true;
  /** Where each value begins, and its length; -1 is null. */
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  /**
   * Takes the next row from a message, of which the database sends one a row (PostgreSQL manual,
   * "Message Formats", CopyData). Says whether there is a row in it.
   */
  read(message: Buffer): boolean {
    this.#message = message;
    let at = this.#isFirst ? headerBytes : 0;
    this.#isFirst = false;
    const count = at === message.length ? trailer : message.readInt16BE(at);
    at += 2;
    for (let index = 0; index < count; index++) {
      const length = message.readInt32BE(at);
      at += 4;
      this.#starts[index] = at;
      this.#lengths[index] = length;
      if (length > 0) at += length;
    }
    return count !== trailer;
  }

  /** The text in UTF-8, a part of the message; none for null. */
  text(index: number): Buffer | undefined {
    const start = this.#starts[index] ?? 0;
    const length = this.#lengths[index] ?? -1;
    return length < 0 ? undefined : this.#message.subarray(start, start + length);
  }

  isTrue(index: number): boolean {
    return this.#lengths[index] === 1 && this.#message[this.#starts[index] ?? 0] === 1;
  }

  /** A bigint of at most 2^53-1; 0 for null. */
  integer(index: number): number {
    const text = this.text(index);
    return text === undefined ? 0 : Number(text.readBigInt64BE());
  }
}
