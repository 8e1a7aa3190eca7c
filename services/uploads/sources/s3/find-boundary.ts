/**
 * Finds a key that divides a range of the keys of a bucket. Stores do not tell how their keys are
 * distributed, so requests for a single key probe for it.
 */
import type { Key } from "../keys.ts";
import { isAtEnd, isInRange, type ListingRange } from "../lister.ts";

interface Boundary {
  /** A text; it need not be a key. */
  readonly boundary: string;
  /** With how many of its characters all keys of both parts begin. */
  readonly charactersInCommon: number;
}

/** At the end of the bucket, undefined or the text itself. */
type FirstKeyAfter = (text: string) => Promise<Key | undefined>;

/**
 * Keys of a range that was divided mostly differ where the whole did, so a boundary is looked for
 * there first. Otherwise it finds the longest common prefix of the keys, and halves the characters
 * that may follow it. Returns undefined if there is no boundary.
 *
 * @param range begins after a key, or after an earlier boundary. If that is not UTF-8, or nearly as
 *   long as keys may be, no boundary is found.
 * @param charactersInCommon with how many characters of that key all keys of the range are known to
 *   begin; undefined if the range was never divided.
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

/** After a text, this follows all that begins with the text, but for the last three characters. */
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
      const from = this.#codeAt(charactersInCommon) ?? 0;
      const guess = await this.#divideAt(charactersInCommon, middleOf(from, endOfKind(from)));
      if (guess !== undefined) return guess;
    }
    const { inCommon, following } = await this.#findCommonPrefix(charactersInCommon ?? 0);
    const from = this.#codeAt(inCommon);
    if (from === undefined) return undefined;
    const next = characterAt(following, inCommon) ?? from;
    const lowest = Math.max(from, next - 1);
    for (let to = Math.max(endOfKind(next), lowest + 1); to > lowest; ) {
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
    // The range may begin after it, if its key has one of the last three characters there.
    if (!isInRange(boundary, this.#range)) return undefined;
    const isFollowed = (await this.#firstKeyOfRange(boundary)) !== undefined;
    return isFollowed ? { boundary, charactersInCommon: inCommon } : undefined;
  }

  /** Finds with how many characters all keys begin, and the first key that then differs. */
  async #findCommonPrefix(known: number) {
    let following: Key | undefined;
    // In a part of a divided range, the prefix is probably little longer than that of the whole.
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

/** With how many of the characters the key begins; all if it is not UTF-8. */
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

/** Where the digits end, letters of a case, an alphabet: names mostly have one kind there. */
function endOfKind(character: number): number {
  const text = String.fromCodePoint(character);
  if (/[0-9]/.test(text)) return 0x3a;
  if (/[A-Z]/.test(text)) return 0x5b;
  if (/[a-z]/.test(text)) return 0x7b;
  if (character < 0x7f) return 0x7f;
  // Alphabets fill blocks of at most 256 characters; ideographs and syllables fill thousands.
  if (character < 0x2000) return (character | 0xff) + 1;
  return [0xa000, 0xd800].find((end) => character < end) ?? 0x110000;
}
