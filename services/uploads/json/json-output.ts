/** Writes JSON as bytes into one buffer that grows and is reused. */
import { keyEscape, keySeparator } from "../model/tree-key.ts";

/** Enough for most pages of fifty. A larger buffer is replaced when it is emptied. */
const usualBytes = 64 * 1024;

/** Of one byte of a text: `\u0001`. */
const escapedBytesMax = 6;
const space = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const digitZero = 0x30;
const lowerU = 0x75;
const hexDigits = Buffer.from("0123456789abcdef");

/** JSON has two characters for these bytes below a space. */
const shortEscapes: Readonly<Record<number, number>> = Object.fromEntries(
  [..."\b\f\n\r\t"].map((text, at) => [text.charCodeAt(0), "bfnrt".charCodeAt(at)]),
);

export class JsonOutput {
  #bytes = Buffer.allocUnsafeSlow(usualBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The memory that is held. */
  get capacityBytes(): number {
    return this.#bytes.length;
  }

  /** A view of what is written. It is valid until more is written. */
  view(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end);
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > usualBytes) this.#bytes = Buffer.allocUnsafeSlow(usualBytes);
  }

  addByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Bytes that are JSON already. */
  add(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A part of bytes that are JSON already. */
  addPart(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    // A view of the part would take longer than the copy.
    this.#length += from.copy(this.#bytes, this.#length, start, end);
  }

  /** JSON without the spaces between its tokens. */
  addCompact(from: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    let length = this.#length;
    let isInString = false;
    for (let at = start; at < end; at++) {
      const byte = from[at] ?? 0;
      if (byte === quote) isInString = !isInString;
      if (byte === space && !isInString) continue;
      this.#bytes[length++] = byte;
      // What is escaped is no end of the string.
      if (byte === backslash) this.#bytes[length++] = from[++at] ?? 0;
    }
    this.#length = length;
  }

  /** The content of a string, without quotes, as `JSON.stringify` writes it. */
  addString(from: Uint8Array, start: number, end: number): void {
    this.#reserve(escapedBytesMax * (end - start));
    const bytes = this.#bytes;
    let length = this.#length;
    for (let at = start; at < end; at++) {
      const byte = from[at] ?? 0;
      if (byte >= 0x20 && byte !== quote && byte !== backslash) bytes[length++] = byte;
      else length = writeEscaped(bytes, length, byte);
    }
    this.#length = length;
  }

  /** A path, from its tree key (model/tree-key.ts). */
  addPathOfKey(from: Uint8Array, start: number, end: number): void {
    this.#reserve(escapedBytesMax * (end - start) + 1);
    const bytes = this.#bytes;
    let length = this.#length;
    if (start === end) bytes[length++] = slash;
    for (let at = start; at < end; at++) {
      const byte = from[at] ?? 0;
      if (byte === keySeparator) bytes[length++] = slash;
      else if (byte === keyEscape) length = writeEscaped(bytes, length, from[++at] ?? 0);
      else if (byte >= 0x20 && byte !== quote && byte !== backslash) bytes[length++] = byte;
      else length = writeEscaped(bytes, length, byte);
    }
    this.#length = length;
  }

  /** @param value a safe integer. */
  addInteger(value: number): void {
    this.#reserve(integerBytesMax);
    if (value < 0) this.#bytes[this.#length++] = minus;
    this.#addDigits(Math.abs(value), 1);
  }

  /** @param digitsMin zeros are put before a shorter number. */
  addDigits(value: number, digitsMin: number): void {
    this.#reserve(integerBytesMax);
    this.#addDigits(value, digitsMin);
  }

  #addDigits(value: number, digitsMin: number): void {
    let rest = value;
    if (rest >= billion) {
      const high = Math.floor(rest / billion);
      this.#addDigits(high, digitsMin - billionDigits);
      rest -= high * billion;
      this.#addSmall(rest, billionDigits);
    } else {
      this.#addSmall(rest, digitsMin);
    }
  }

  /** @param value below 2^31, so that the division is one of integers. */
  #addSmall(value: number, digitsMin: number): void {
    let count = 1;
    for (let limit = 10; count < digitsMin || (limit <= value && count < 10); limit *= 10)
      count += 1;
    let rest = value | 0;
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const tenth = (rest / 10) | 0;
      this.#bytes[at] = digitZero + rest - 10 * tenth;
      rest = tenth;
    }
    this.#length += count;
  }

  /** @param from has the 16 bytes of the UUID. */
  addUuid(from: Uint8Array, start: number): void {
    this.#reserve(uuidCharacters);
    const bytes = this.#bytes;
    let length = this.#length;
    for (let at = 0; at < 16; at++) {
      if (at === 4 || at === 6 || at === 8 || at === 10) bytes[length++] = minus;
      const byte = from[start + at] ?? 0;
      bytes[length++] = hexDigits[byte >> 4] ?? 0;
      bytes[length++] = hexDigits[byte & 15] ?? 0;
    }
    this.#length = length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

const billion = 1_000_000_000;
const billionDigits = 9;
const integerBytesMax = 20;
const uuidCharacters = 36;
const minus = 0x2d;
const slash = 0x2f;

/** Writes a byte that a string cannot have as it is. Returns the new length. */
function writeEscaped(bytes: Buffer, length: number, byte: number): number {
  let end = length;
  bytes[end++] = backslash;
  if (byte === quote || byte === backslash) {
    bytes[end++] = byte;
    return end;
  }
  const short = shortEscapes[byte];
  if (short !== undefined) {
    bytes[end++] = short;
    return end;
  }
  bytes[end++] = lowerU;
  bytes[end++] = digitZero;
  bytes[end++] = digitZero;
  bytes[end++] = hexDigits[byte >> 4] ?? 0;
  bytes[end++] = hexDigits[byte & 15] ?? 0;
  return end;
}
