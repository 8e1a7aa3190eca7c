/** Enough for most pages of fifty. A larger buffer is replaced when the column is cleared. */
const usualBytes = 64 * 1024;

/** The separator between the values. */
const comma = 0x2c;

/**
 * The values of one column as bytes, side by side with commas between, as the elements of a JSON
 * array are: what is passed on is one piece. The memory is used again for the next column.
 */
export class Column {
  #bytes = Buffer.allocUnsafeSlow(usualBytes);
  /** Where each value begins, and where the next would. */
  readonly #starts: number[] = [0];
  readonly #nulls = new Set<number>();

  get length(): number {
    return this.#starts.length - 1;
  }

  /** Of all values, each with a comma. */
  get sizeBytes(): number {
    return this.#starts.at(-1) ?? 0;
  }

  /** The memory that is held. */
  get capacityBytes(): number {
    return this.#bytes.length;
  }

  /** The value at this place, negative ones from the end; it stays until the column is cleared. */
  at(place: number): Buffer | null | undefined {
    const index = place < 0 ? this.length + place : place;
    if (index < 0 || index >= this.length) return undefined;
    return this.#nulls.has(index) ? null : this.joined(index, index + 1);
  }

  /** The values from one place up to another, with commas between; it stays like `at`. */
  joined(from: number, to: number): Buffer {
    const start = this.#starts[from];
    const next = this.#starts[to];
    if (start === undefined || next === undefined || from > to) {
      throw new RangeError(`Need places from 0 to ${this.length}, got ${from} to ${to}`);
    }
    return this.#bytes.subarray(start, from === to ? start : next - 1);
  }

  /** @param bytes where the value stands, from `start` to before `end`. */
  add(bytes: Buffer, start: number, end: number): void {
    const place = this.#starts[this.length] ?? 0;
    const next = place + end - start + 1;
    if (next > this.#bytes.length) this.#grow(place, next);
    bytes.copy(this.#bytes, place, start, end);
    this.#bytes[next - 1] = comma;
    this.#starts.push(next);
  }

  addNull(): void {
    this.#nulls.add(this.length);
    this.add(this.#bytes, 0, 0);
  }

  /** Empties the column. Views of its earlier values must no longer be used. */
  clear(): void {
    if (this.#bytes.length > usualBytes) this.#bytes = Buffer.allocUnsafeSlow(usualBytes);
    this.#starts.length = 1;
    this.#nulls.clear();
  }

  #grow(usedBytes: number, neededBytes: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, usedBytes);
    this.#bytes = grown;
  }
}
