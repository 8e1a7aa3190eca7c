/** Writes the primitive values of binary protobuf into one buffer that grows. */
export class ByteWriter {
  #buffer: Buffer<ArrayBuffer>;
  #length = 0;

  constructor(sizeBytes = 256) {
    this.#buffer = Buffer.allocUnsafe(sizeBytes);
  }

  /** What was written so far. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length);
  }

  /** @param value a safe integer, 0 or more. */
  varint(value: number): void {
    if (this.#length + varintBytesMax > this.#buffer.length) this.#grow(varintBytesMax);
    let rest = value;
    while (rest > 0x7fffffff) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  /** @param value a safe integer, for int32, int64 and enums. */
  integer(value: number): void {
    if (value >= 0) {
      this.varint(value);
      return;
    }
    if (this.#length + varintBytesMax > this.#buffer.length) this.#grow(varintBytesMax);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) {
      this.#buffer[this.#length++] = Number(rest & 0x7fn) | 0x80;
    }
    this.#buffer[this.#length++] = Number(rest);
  }

  double(value: number): void {
    if (this.#length + 8 > this.#buffer.length) this.#grow(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  /** Text in UTF-8, after its length. */
  text(text: string): void {
    // The exact length takes longer to find than this bound, which nearly always fits.
    if (this.#length + 3 * text.length + varintBytesMax > this.#buffer.length) {
      const bytesMax = Buffer.byteLength(text) + varintBytesMax;
      if (this.#length + bytesMax > this.#buffer.length) this.#grow(bytesMax);
    }
    const start = this.begin();
    this.#length += this.#buffer.write(text, this.#length);
    this.end(start);
  }

  /** Begins a value whose length is not known yet. Returns where it starts, for `end`. */
  begin(): number {
    // `end` writes the length again before the value, which must not need more memory then.
    if (this.#length + varintBytesMax > this.#buffer.length) this.#grow(varintBytesMax);
    this.#length += 1;
    return this.#length;
  }

  /** Writes the length of the value before it. One byte is reserved; a longer length moves it. */
  end(start: number): void {
    const length = this.#length - start;
    let lengthBytes = 1;
    for (let rest = length; rest > 0x7f; rest = Math.floor(rest / 0x80)) lengthBytes += 1;
    if (lengthBytes > 1) {
      if (this.#length + varintBytesMax > this.#buffer.length) this.#grow(varintBytesMax);
      this.#buffer.copyWithin(start - 1 + lengthBytes, start, this.#length);
    }
    this.#length = start - 1;
    this.varint(length);
    this.#length += length;
  }

  #grow(neededBytes: number): void {
    const grown = Buffer.allocUnsafe(2 * (this.#length + neededBytes));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** The longest encoding of a 64-bit integer. */
const varintBytesMax = 10;
