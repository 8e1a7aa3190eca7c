/**
 * Bitmaps of the blocks in which n-grams of names occur. Each order of a bucket is divided into
 * blocks at fixed keys. A block without an n-gram of a search contains no match.
 */
import { blocksPerPart } from "../../search/skip-index.ts";

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
  readonly #numbers: ReadonlyMap<string, number>;
  /**
   * For each order, the blocks, each with a bit for every n-gram: the bits that an upload sets are
   * close together.
   */
  readonly #blocks: readonly Map<number, Uint8Array>[];
  /** For the longest n-gram at a place of a name, the numbers of the indexed ones there. */
  readonly #numbersAt = new Map<string, readonly number[]>();

  /** @param nGrams the indexed n-grams; others are left out. */
  constructor(nGrams: Iterable<string>, orders: number) {
    this.#nGrams = [...nGrams];
    this.#numbers = new Map(this.#nGrams.map((nGram, number) => [nGram, number]));
    this.#blocks = Array.from({ length: orders }, () => new Map());
  }

  /**
   * Adds an upload.
   *
   * @param blocks its block in each order.
   */
  add(names: readonly string[], blocks: readonly number[]): void {
    const bits = this.#blocks.map((ofOrder, order) => this.#bitsOf(ofOrder, blocks[order] ?? 0));
    for (const name of names) {
      forEachPlace(name, (longest) => {
        for (const number of this.#indexedAt(longest)) {
          for (const ofBlock of bits) setBits(ofBlock, number >> 3, 1 << (number & 7));
        }
      });
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

  #bitsOf(ofOrder: Map<number, Uint8Array>, block: number): Uint8Array {
    const known = ofOrder.get(block);
    if (known !== undefined) return known;
    const bits = new Uint8Array(Math.ceil(this.#nGrams.length / 8));
    ofOrder.set(block, bits);
    return bits;
  }

  // Names have few different n-grams.
  #indexedAt(longest: string): readonly number[] {
    const known = this.#numbersAt.get(longest);
    if (known !== undefined) return known;
    const indexed = prefixesOf(longest).flatMap((nGram) => this.#numbers.get(nGram) ?? []);
    if (this.#numbersAt.size < rememberedMax) this.#numbersAt.set(longest, indexed);
    return indexed;
  }
}

/** More than the names of most languages have. */
const rememberedMax = 200_000;

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

function setBits(bytes: Uint8Array | undefined, place: number, bits: number): void {
  if (bytes !== undefined) bytes[place] = (bytes[place] ?? 0) | bits;
}

/** The n-grams of a name: one, two and three code points from every place of `/name/`. */
export function nGramsOfName(name: string): Set<string> {
  const nGrams = new Set<string>();
  forEachPlace(name, (longest) => {
    for (const nGram of prefixesOf(longest)) nGrams.add(nGram);
  });
  return nGrams;
}

/** Visits the longest n-gram at each place: three code points, two at the end. */
function forEachPlace(name: string, visit: (longest: string) => void): void {
  const marked = `/${name}/`;
  // Without surrogates, every code point is one element of the string.
  const points = hasSurrogates(marked) ? [...marked] : undefined;
  const length = points?.length ?? marked.length;
  for (let at = 0; at < length - 1; at++) {
    visit(points?.slice(at, at + 3).join("") ?? marked.slice(at, at + 3));
  }
}

function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

/** An n-gram and the shorter ones that it starts with, without the slash, which all names have. */
function prefixesOf(longest: string): string[] {
  const points = [...longest];
  const prefixes = points.map((_, index) => points.slice(0, index + 1).join(""));
  return prefixes.filter((nGram) => nGram !== "/");
}
