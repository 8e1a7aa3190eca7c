/**
 * Bitmaps of the blocks in which n-grams of names occur. Each order of a bucket is divided into
 * blocks at fixed keys. A block without an n-gram of a search contains no match.
 */
import { blocksPerPart } from "./layout.ts";
import { NGramNumbers } from "./n-grams-of-names.ts";

const bytesPerOrder = blocksPerPart / 8;

/** One part of the bitmaps of an n-gram. */
export interface NGramPart {
  readonly nGram: string;
  readonly part: number;
  /** The bitmap of each order; the highest bit of the first byte is the first block. */
  readonly bitmaps: readonly Uint8Array[];
}

export class NGramBitmaps {
  readonly #nGrams: readonly string[];
  readonly #numbers: NGramNumbers;
  /**
   * For each order, the blocks, each with a bit for every n-gram: the bits that an upload sets are
   * close together.
   */
  readonly #blocks: readonly Map<number, Uint8Array>[];

  /** @param nGrams the indexed n-grams; others are left out. */
  constructor(nGrams: Iterable<string>, orders: number) {
    this.#nGrams = [...nGrams];
    this.#numbers = new NGramNumbers(this.#nGrams);
    this.#blocks = Array.from({ length: orders }, () => new Map());
  }

  /**
   * Adds an upload.
   *
   * @param blocks its block in each order.
   */
  add(names: readonly string[], blocks: readonly number[]): void {
    const numbers = names.flatMap((name) => this.#numbers.in(name));
    for (let order = 0; order < blocks.length; order++) {
      setNumbers(this.#bitsOf(order, blocks[order] as number), numbers);
    }
  }

  /** All parts of bitmaps in which a bit is set. */
  *parts(): Generator<NGramPart> {
    for (const [part, blocks] of this.#blocksByPart()) {
      for (let first = 0; first < this.#nGrams.length; first += 8) {
        const eight = bitmapsOfEight(blocks, first >> 3, this.#blocks.length);
        for (const [index, bitmaps] of eight.entries()) {
          const nGram = this.#nGrams[first + index];
          if (bitmaps !== undefined && nGram !== undefined) yield { nGram, part, bitmaps };
        }
      }
    }
  }

  #blocksByPart(): ReadonlyMap<number, Block[]> {
    const blocks = this.#blocks.flatMap((ofOrder, order) =>
      Array.from(ofOrder, ([number, nGrams]) => ({ order, number, nGrams })),
    );
    return Map.groupBy(blocks, ({ number }) => Math.floor(number / blocksPerPart));
  }

  #bitsOf(order: number, block: number): Uint8Array {
    const ofOrder = this.#blocks[order] as Map<number, Uint8Array>;
    const known = ofOrder.get(block);
    if (known !== undefined) return known;
    const bits = new Uint8Array(Math.ceil(this.#nGrams.length / 8));
    ofOrder.set(block, bits);
    return bits;
  }
}

interface Block {
  readonly order: number;
  readonly number: number;
  /** One bit for each n-gram. */
  readonly nGrams: Uint8Array;
}

/**
 * For each of eight n-grams that occurs in the blocks, its bitmap of every order.
 *
 * @param place of the byte that has the bits of the eight.
 */
function bitmapsOfEight(blocks: readonly Block[], place: number, orders: number) {
  const eight: (Uint8Array[] | undefined)[] = new Array(8).fill(undefined);
  for (const { order, number, nGrams } of blocks) {
    const byte = nGrams[place] ?? 0;
    for (let index = 0; byte >> index !== 0; index++) {
      if (((byte >> index) & 1) === 0) continue;
      const bitmaps =
        eight[index] ?? Array.from({ length: orders }, () => new Uint8Array(bytesPerOrder));
      eight[index] = bitmaps;
      setBits(bitmaps[order], (number % blocksPerPart) >> 3, 128 >> (number & 7));
    }
  }
  return eight;
}

// Building an index spends most of its time here.
function setNumbers(bits: Uint8Array, numbers: readonly number[]): void {
  for (const number of numbers) {
    bits[number >> 3] = (bits[number >> 3] as number) | (1 << (number & 7));
  }
}

function setBits(bytes: Uint8Array | undefined, place: number, bits: number): void {
  if (bytes !== undefined) bytes[place] = (bytes[place] ?? 0) | bits;
}
