/**
 * Divides the keys of a bucket into ranges without an earlier listing. Stores do not tell how their
 * keys are distributed, so requests for a single key probe for it.
 */
import type { Key } from "../keys.ts";
import { isAtEnd, isInRange, type ListingRange } from "../lister.ts";
import type { PagePosition, StorePage } from "./read-page.ts";

/** A range, and its first pages, at least one. */
interface BegunRange extends ListingRange {
  readonly pages: readonly StorePage[];
  /** Characters that all keys of the range after its pages are known to begin with. */
  readonly charactersInCommon: number;
}

type ReadPage = (position: PagePosition) => Promise<StorePage>;

/** A bucket that has no more pages is one range: finding more would take longer than listing it. */
const pagesOfSmallBucket = 4;

/** At least one range, in order. There may be fewer than wanted, or up to twice as many. */
export async function splitRanges(
  readPage: ReadPage,
  wanted: number,
): Promise<readonly BegunRange[]> {
  const pages = [await readPage({ after: undefined })];
  for (let page = pages[0]; page?.next && pages.length < pagesOfSmallBucket; page = pages.at(-1)) {
    pages.push(await readPage({ after: page.lastKey, next: page.next }));
  }
  let ranges: readonly BegunRange[] = [
    { after: undefined, until: undefined, pages, charactersInCommon: 0 },
  ];
  for (let before = 0; ranges.length > before && ranges.length < wanted; ) {
    before = ranges.length;
    ranges = (await Promise.all(ranges.map((range) => splitRange(readPage, range)))).flat();
  }
  return ranges;
}

/** Later than every text that begins with the same characters, but for a few private ones. */
const last = "\u{10fffd}";

function textOf(characters: readonly string[], length: number, next = ""): string {
  return characters.slice(0, length).join("") + next + last;
}

/**
 * Divides a range between its first pages and its last key, if it can. The boundary is found from
 * the longest common prefix of the keys after the pages: it halves the characters that may follow.
 */
async function splitRange(readPage: ReadPage, range: BegunRange): Promise<readonly BegunRange[]> {
  const { lastKey, next } = range.pages.at(-1) ?? {};
  if (next === undefined || typeof lastKey !== "string") return [range];
  const characters = [...lastKey];
  const { inCommon, following } = await findCommonPrefix(readPage, range, characters);
  const from = characters[inCommon]?.codePointAt(0);
  if (from === undefined) return [range];
  const firstAfter = characterAt(following, inCommon) ?? from;
  const lowest = Math.max(from, Math.min(firstAfter, endOfAscii) - 1);
  for (let to = Math.max(endOfKind(firstAfter), lowest + 1); to > lowest; ) {
    const middle = Math.floor((lowest + to) / 2);
    const boundary = textOf(characters, inCommon, String.fromCodePoint(middle));
    const page = isAtEnd(boundary, range) ? undefined : await readPage({ after: boundary });
    if (page !== undefined && firstKey(page, boundary, range) !== undefined) {
      return [
        { ...range, until: boundary, charactersInCommon: inCommon },
        { ...range, after: boundary, charactersInCommon: inCommon, pages: [page] },
      ];
    }
    to = middle;
  }
  return [range];
}

interface CommonPrefix {
  /** How many of the characters all keys of the range after its pages begin with. */
  readonly inCommon: number;
  /** The first key that the next character does not begin. */
  readonly following: Key | undefined;
}

/** @param characters of the last key of the pages. */
async function findCommonPrefix(
  readPage: ReadPage,
  range: BegunRange,
  characters: readonly string[],
): Promise<CommonPrefix> {
  let following: Key | undefined;
  // The range is a part of one that was divided there, so the prefix is probably little longer.
  let inCommon = range.charactersInCommon;
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
