/**
 * Finds a key that divides a range of the keys of a bucket. Stores do not tell how their keys are
 * distributed, so requests for a single key probe for it.
 */
import type { Key } from "../keys.ts";
import { isAtEnd, isInRange, type ListingRange } from "../lister.ts";

interface Boundary {
  /** A text between two keys. */
  readonly boundary: string;
  /** With so many characters of the boundary all keys of both parts begin. */
  readonly charactersInCommon: number;
}

/** Undefined at the end of the bucket. */
type FirstKeyAfter = (text: string) => Promise<Key | undefined>;

/**
 * Finds a boundary from the longest common prefix of the keys of a range: it halves the characters
 * that may follow. Returns undefined if it finds none.
 *
 * @param range begins after a key, or after an earlier boundary. There is none after a key that is
 *   not UTF-8.
 * @param charactersInCommon with so many characters of that key all keys of the range are known to
 *   begin; undefined if the range is not a part of one that was divided.
 */
export async function findBoundary(
  firstKeyAfter: FirstKeyAfter,
  range: ListingRange,
  charactersInCommon: number | undefined,
): Promise<Boundary | undefined> {
  const { after } = range;
  if (typeof after !== "string" || Buffer.byteLength(after) > divisibleBytesMax) return undefined;
  const search = new BoundarySearch(firstKeyAfter, range, after);
  return await search.find(charactersInCommon);
}

/** Later than every text that begins with the same characters, but for a few private ones. */
const last = "\u{10fffd}";

/** Stores may refuse texts that are longer than keys. */
const divisibleBytesMax = 1024 - 2 * Buffer.byteLength(last);

class BoundarySearch {
  readonly #firstKeyAfter: FirstKeyAfter;
  readonly #range: ListingRange;
  /** Of the key after which the range begins. */
  readonly #characters: readonly string[];

  constructor(firstKeyAfter: FirstKeyAfter, range: ListingRange, after: string) {
    this.#firstKeyAfter = firstKeyAfter;
    this.#range = range;
    this.#characters = [...after];
  }

  async find(charactersInCommon: number | undefined): Promise<Boundary | undefined> {
    if (charactersInCommon !== undefined) {
      // The character at which the whole was divided mostly differs in its parts, too.
      const from = this.#codeAt(charactersInCommon) ?? 0;
      const guess = await this.#divideAt(charactersInCommon, middleOf(from, endOfKind(from)));
      if (guess !== undefined) return guess;
    }
    const { inCommon, following } = await this.#findCommonPrefix(charactersInCommon ?? 0);
    const from = this.#codeAt(inCommon);
    if (from === undefined) return undefined;
    const firstAfter = characterAt(following, inCommon) ?? from;
    const lowest = Math.max(from, firstAfter - 1);
    for (let to = Math.max(endOfKind(firstAfter), lowest + 1); to > lowest; ) {
      const middle = middleOf(lowest, to);
      const found = await this.#divideAt(inCommon, middle);
      if (found !== undefined) return found;
      to = middle;
    }
    return undefined;
  }

  #codeAt(index: number): number | undefined {
    return this.#characters[index]?.codePointAt(0);
  }

  #textOf(length: number, next = ""): string {
    return this.#characters.slice(0, length).join("") + next + last;
  }

  /** Undefined if nothing follows. */
  async #divideAt(inCommon: number, code: number): Promise<Boundary | undefined> {
    const boundary = this.#textOf(inCommon, String.fromCodePoint(code));
    // A key with one of those private characters may come after it.
    if (!isInRange(boundary, this.#range)) return undefined;
    const isFollowed = (await this.#firstKeyOfRange(boundary)) !== undefined;
    return isFollowed ? { boundary, charactersInCommon: inCommon } : undefined;
  }

  /** With how many characters all keys begin, and the first key that has another one then. */
  async #findCommonPrefix(known: number) {
    let following: Key | undefined;
    // The range is a part of one that was divided there, so the prefix is probably little longer.
    let inCommon = known;
    let tooLong = this.#characters.length + 1;
    for (let step = 1; tooLong - inCommon > 1; step *= 2) {
      const length = Math.min(inCommon + step, Math.floor((inCommon + tooLong) / 2));
      const key = await this.#firstKeyOfRange(this.#textOf(length));
      if (key === undefined) {
        inCommon = length;
      } else {
        following = key;
        const lengthInCommon = lengthInCommonOf(this.#characters, key);
        tooLong = Math.max(inCommon + 1, Math.min(length, lengthInCommon + 1));
      }
    }
    return { inCommon, following };
  }

  async #firstKeyOfRange(after: string): Promise<Key | undefined> {
    if (isAtEnd(after, this.#range)) return undefined;
    const key = await this.#firstKeyAfter(after);
    const { until } = this.#range;
    return key !== undefined && isInRange(key, { after, until }) ? key : undefined;
  }
}

/** At most all, as for a key that is not UTF-8. */
function lengthInCommonOf(characters: readonly string[], key: Key): number {
  if (typeof key !== "string") return characters.length;
  const others = [...key];
  const different = characters.findIndex((character, index) => character !== others[index]);
  return different === -1 ? characters.length : different;
}

/** Undefined in a key that is not UTF-8. */
function characterAt(key: Key | undefined, index: number): number | undefined {
  return typeof key === "string" ? [...key][index]?.codePointAt(0) : undefined;
}

function middleOf(from: number, to: number): number {
  const middle = Math.floor((from + to) / 2);
  // Half of a surrogate pair is no character.
  return middle >= 0xd800 && middle <= 0xdfff ? 0xd7ff : middle;
}

/** The end of the digits, a case of letters, an alphabet: names mostly have one kind there. */
function endOfKind(character: number): number {
  const text = String.fromCodePoint(character);
  if (/[0-9]/.test(text)) return 0x3a;
  if (/[A-Z]/.test(text)) return 0x5b;
  if (/[a-z]/.test(text)) return 0x7b;
  if (character < 0x7f) return 0x7f;
  // Alphabets fill blocks of 256 characters or less, ideographs and syllables some thousand.
  if (character < 0x2000) return (character | 0xff) + 1;
  return [0xa000, 0xd800].find((end) => character < end) ?? 0x110000;
}
