/**
 * Divides the keys of a bucket into ranges without an earlier listing. Stores do not tell how their
 * keys are distributed, so requests for a single key probe for it.
 */
import { compareKeys, type Key } from "../keys.ts";
import type { KeyRange } from "../listed-object.ts";
import type { Continuation, StorePage } from "./read-page.ts";

/** A range, and its first pages, at least one. */
interface BegunRange extends KeyRange {
  readonly pages: readonly StorePage[];
  /** Characters that all keys of the range after its pages are known to begin with. */
  readonly charactersInCommon: number;
}

interface Probe {
  /** A full page after a key, or the one that follows another. */
  readPage(after: Key | undefined, next?: Continuation): Promise<StorePage>;
  /** The first key after a text. */
  nextKey(after: string): Promise<Key | undefined>;
}

/** A bucket that has no more pages is one range: finding more would take longer than listing it. */
const pagesOfSmallBucket = 4;

/** At least one range, in order. There may be fewer than wanted, or up to twice as many. */
export async function splitRanges(probe: Probe, wanted: number): Promise<readonly BegunRange[]> {
  const pages = [await probe.readPage(undefined)];
  for (let page = pages[0]; page?.next && pages.length < pagesOfSmallBucket; page = pages.at(-1)) {
    pages.push(await probe.readPage(page.lastKey, page.next));
  }
  let ranges: BegunRange[] = [{ after: undefined, until: undefined, pages, charactersInCommon: 0 }];
  for (let before = 0; ranges.length > before && ranges.length < wanted; ) {
    before = ranges.length;
    const halves = await Promise.all(ranges.map((range) => splitRange(probe, range)));
    ranges = halves.flat();
  }
  return ranges;
}

async function splitRange(probe: Probe, range: BegunRange): Promise<readonly BegunRange[]> {
  const found = await findBoundary(probe, range);
  if (found === undefined) return [range];
  const { boundary, charactersInCommon } = found;
  return [
    { ...range, until: boundary, charactersInCommon },
    { ...range, after: boundary, charactersInCommon, pages: [await probe.readPage(boundary)] },
  ];
}

/** Later than every text that begins with the same characters, but for a few private ones. */
const last = "\u{10fffd}";

/**
 * A text between the first pages of the range and its last key. It is found from the longest common
 * prefix of the keys after the pages: the boundary halves the characters that may follow it.
 */
async function findBoundary(
  probe: Probe,
  { until, pages, charactersInCommon }: BegunRange,
): Promise<{ boundary: string; charactersInCommon: number } | undefined> {
  const { lastKey, next } = pages.at(-1) ?? {};
  if (next === undefined || typeof lastKey !== "string") return undefined;
  const characters = [...lastKey];
  const beginning = (length: number) => characters.slice(0, length).join("");
  const hasKeysAfter = async (text: string) => {
    if (until !== undefined && compareKeys(text, until) >= 0) return false;
    const key = await probe.nextKey(text);
    return key !== undefined && (until === undefined || compareKeys(key, until) <= 0);
  };
  // Find the longest prefix of the last key that all later keys have. It is probably little longer
  // than `charactersInCommon`: the range is a part of one that was divided there.
  let inCommon = charactersInCommon;
  let tooLong = characters.length + 1;
  for (let step = 1; tooLong - inCommon > 1; ) {
    const length = Math.min(inCommon + step, Math.floor((inCommon + tooLong) / 2));
    if (await hasKeysAfter(beginning(length) + last)) tooLong = length;
    else inCommon = length;
    step *= 2;
  }
  const from = characters[inCommon]?.codePointAt(0);
  if (from === undefined) return undefined;
  for (let to = endOfKind(from); to - from > 1; ) {
    const middle = Math.floor((from + to) / 2);
    const boundary = beginning(inCommon) + String.fromCodePoint(middle) + last;
    if (await hasKeysAfter(boundary)) return { boundary, charactersInCommon: inCommon };
    to = middle;
  }
  const boundary = beginning(inCommon + 1) + last;
  return (await hasKeysAfter(boundary)) ? { boundary, charactersInCommon: inCommon } : undefined;
}

/** The end of the digits, of a case of letters, or of ASCII: names mostly have one kind there. */
function endOfKind(character: number): number {
  const text = String.fromCodePoint(character);
  if (/[0-9]/.test(text)) return 0x3a;
  if (/[A-Z]/.test(text)) return 0x5b;
  return /[a-z]/.test(text) ? 0x7b : 0x7f;
}
