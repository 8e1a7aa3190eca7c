/**
 * Maximum bytes of a line, without its line break: 5 MiB. An export adds what the line left out (at
 * most 0.4 MiB), and writes numbers of 5 bytes (`1e20,`) with up to 22. So a line of 1 MiB grows to
 * less than that.
 */
export const lineBytesMax = 5 * 1024 * 1024;

/** One line, as bytes without the line break (LF or CR LF). */
export interface TextLine {
  /** Counted from 1. */
  readonly number: number;
  /** Only the beginning if the line is longer than the limit. */
  readonly bytes: Buffer;
  readonly isTooLong: boolean;
}

/**
 * Splits a stream of bytes into lines, one batch per chunk. The line limit bounds the memory. The
 * last line needs no line break. A byte order mark before the first line is left out.
 */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<TextLine[]> {
  const splitter = new LineSplitter();
  for await (const chunk of input) yield splitter.split(chunk);
  yield splitter.end();
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const nothing = Buffer.alloc(0);

class LineSplitter {
  #count = 0;
  #begun: Buffer[] = [];
  /** Bytes of the line so far: those that are kept, and all of them. */
  #keptBytes = 0;
  #seenBytes = 0;

  split(chunk: Buffer): TextLine[] {
    const lines: TextLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      this.#keep(chunk.subarray(from, at));
      lines.push(this.#line());
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  end(): TextLine[] {
    return this.#seenBytes > 0 ? [this.#line()] : [];
  }

  // One byte more than the limit is kept: it may be the CR of a line break.
  #keep(bytes: Buffer): void {
    this.#seenBytes += bytes.length;
    const room = lineBytesMax + 1 - this.#keptBytes;
    if (room <= 0 || bytes.length === 0) return;
    const kept = bytes.subarray(0, room);
    this.#begun.push(kept);
    this.#keptBytes += kept.length;
  }

  #line(): TextLine {
    const [first = nothing] = this.#begun;
    let bytes = this.#begun.length > 1 ? Buffer.concat(this.#begun) : first;
    let sizeBytes = this.#seenBytes;
    this.#begun = [];
    this.#keptBytes = 0;
    this.#seenBytes = 0;
    this.#count += 1;
    if (sizeBytes === bytes.length && bytes.at(-1) === carriageReturn) {
      bytes = bytes.subarray(0, -1);
      sizeBytes -= 1;
    }
    if (this.#count === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)) {
      bytes = bytes.subarray(byteOrderMark.length);
    }
    return { number: this.#count, bytes, isTooLong: sizeBytes > lineBytesMax };
  }
}
