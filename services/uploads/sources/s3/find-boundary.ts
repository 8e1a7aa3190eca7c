/**
 * Finds a key that divides a range of the keys of a bucket. Stores do not tell how their keys are
 * distributed, so requests for a single key probe for it.
 */
import type { Key } from "../keys.ts";
import { isAtEnd, isInRange, type ListingRange } from "../lister.ts";
import type { PagePosition, StorePage } from "./read-page.ts";

interface Boundary {
  readonly boundary: Key;
  /** The first page after it. */
  readonly firstPage: StorePage;
  /** Those of both parts. */
  readonly charactersInCommon: number;
}

type ReadPage = (position: PagePosition) => Promise<StorePage>;

/** Later than every text that begins with the same characters, but for a few private ones. */
const last = "\u{10fffd}";

function textOf(characters: readonly string[], length: number, next = ""): string {
  return characters.slice(0, length).join("") + next + last;
}

/**
 * Finds a boundary from the longest common prefix of the keys of a range: it halves the characters
 * that may follow. Returns undefined if it finds none.
 *
 * @param range begins after one of its keys' characters; a key that is not UTF-8 has none.
 * @param charactersInCommon so many all keys of the range are known to begin with.
 */
export async function findBoundary(
  readPage: ReadPage,
  range: ListingRange,
  charactersInCommon: number,
): Promise<Boundary | undefined> {
  if (typeof range.after !== "string") return undefined;
  const characters = [...range.after];
  const known = { characters, inCommon: charactersInCommon };
  const { inCommon, following } = await findCommonPrefix(readPage, range, known);
  const from = characters[inCommon]?.codePointAt(0);
  if (from === undefined) return undefined;
  const firstAfter = characterAt(following, inCommon) ?? from;
  const lowest = Math.max(from, Math.min(firstAfter, endOfAscii) - 1);
  for (let to = Math.max(endOfKind(firstAfter), lowest + 1); to > lowest; ) {
    const middle = Math.floor((lowest + to) / 2);
    const boundary = textOf(characters, inCommon, String.fromCodePoint(middle));
    // A key with one of those private characters may come after it.
    const isInside = isInRange(boundary, range) && !isAtEnd(boundary, range);
    const firstPage = isInside ? await readPage({ after: boundary }) : undefined;
    if (firstPage !== undefined && firstKey(firstPage, boundary, range) !== undefined) {
      return { boundary, firstPage, charactersInCommon: inCommon };
    }
    to = middle;
  }
  return undefined;
}

interface CommonPrefix {
  /** The characters of the key after which the range begins. */
  readonly characters: readonly string[];
  /** With how many of them all keys of the range begin. */
  readonly inCommon: number;
}

interface FoundPrefix {
  readonly inCommon: number;
  /** The first key that the next character does not begin. */
  readonly following: Key | undefined;
}

async function findCommonPrefix(
  readPage: ReadPage,
  range: ListingRange,
  { characters, inCommon: known }: CommonPrefix,
): Promise<FoundPrefix> {
  let following: Key | undefined;
  // The range is a part of one that was divided there, so the prefix is probably little longer.
  let inCommon = known;
  let tooLong = characters.length + 1;
  for (let step = 1; tooLong - inCommon > 1; step *= 2) {
    const length = Math.min(inCommon + step, Math.floor((inCommon + tooLong) / 2));
    const text = textOf(characters, length);
    const page = isAtEnd(text, range) ? undefined : await readPage({ after: text, keysMax: 1 });
    const key = page && firstKey(page, text, range);
    if (key === undefined) {
      inCommon = length;
    } else {
      following = key;
      tooLong = Math.max(inCommon + 1, Math.min(length, lengthInCommon(characters, key) + 1));
    }
  }
  return { inCommon, following };
}

/** Undefined if the page has no key of the range. An empty one may end where it begins. */
function firstKey(page: StorePage, after: string, { until }: ListingRange): Key | undefined {
  const key = page.objects[0]?.key ?? page.lastKey;
  return key !== undefined && isInRange(key, { after, until }) ? key : undefined;
}

/** At most all, as for a key that is not UTF-8. */
function lengthInCommon(characters: readonly string[], key: Key): number {
  if (typeof key !== "string") return characters.length;
  const others = [...key];
  const different = characters.findIndex((character, index) => character !== others[index]);
  return different === -1 ? characters.length : different;
}

/** Undefined in a key that is not UTF-8. */
function characterAt(key: Key | undefined, index: number): number | undefined {
  return typeof key === "string" ? [...key][index]?.codePointAt(0) : undefined;
}

const endOfAscii = 0x7f;

/** The end of the digits, of a case of letters, or of ASCII: names mostly have one kind there. */
function endOfKind(character: number): number {
  const text = String.fromCodePoint(character);
  if (/[0-9]/.test(text)) return 0x3a;
  if (/[A-Z]/.test(text)) return 0x5b;
  return /[a-z]/.test(text) ? 0x7b : endOfAscii;
}
