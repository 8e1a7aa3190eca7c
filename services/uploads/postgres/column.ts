import { JsonOutput } from "../json/json-output.ts";

/** The separator between the values. */
const comma = 0x2c;

/**
 * A value of each row as bytes, side by side with commas between, as the elements of a JSON array
 * are: what is passed on is one piece. The memory is used again for the next statement.
 */
export class Column {
  readonly #output = new JsonOutput();
  /** Where each value begins, and where the next would. */
  readonly #starts: number[] = [0];
  readonly #nulls = new Set<number>();

  get length(): number {
    return this.#starts.length - 1;
  }

  /** Of all values, each with a comma. */
  get sizeBytes(): number {
    return this.#output.length;
  }

  /** The memory that is held. */
  get capacityBytes(): number {
    return this.#output.capacityBytes;
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
    return this.#output.view(start, from === to ? start : next - 1);
  }

  /** @param write writes the value. */
  addWritten(write: (output: JsonOutput) => void): void {
    write(this.#output);
    this.#output.addByte(comma);
    this.#starts.push(this.#output.length);
  }

  add(value: Uint8Array): void {
    this.addWritten((output) => output.add(value));
  }

  addNull(): void {
    this.#nulls.add(this.length);
    this.addWritten(() => {});
  }

  /** Empties the column. Views of its earlier values must no longer be used. */
  clear(): void {
    this.#output.clear();
    this.#starts.length = 1;
    this.#nulls.clear();
  }
}
