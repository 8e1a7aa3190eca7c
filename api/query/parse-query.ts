/**
 * The language of `query` (query.md): what a person types to find files. Service, page and command
 * line read it here, so that it means the same everywhere.
 */
import { type FilterName, filterNeeds, type ReadFilter, readFilterValues } from "./read-filter.ts";

/** Most code points of a query. */
export const queryLengthMax = 512;
/** Most words, and most filters. */
export const queryPartsMax = 16;

interface PartPlace {
  /** As it is written, with quotes and `-`. */
  readonly written: string;
  /** In UTF-16 code units from the start of the query. */
  readonly start: number;
  readonly end: number;
  /** Whether it begins with `-`: what it finds is left out. */
  readonly isExcluded: boolean;
}

/** A text that path and filename, or the slug, must contain. */
export interface WordPart extends PartPlace {
  readonly kind: "word";
  readonly text: string;
  /** Whether the text is a pattern for a whole name: it has `*` or `?` outside quotes. */
  readonly isPattern: boolean;
}

/** A filter with values that it can have. */
export type FilterPart = PartPlace & { readonly kind: "filter" } & ReadFilter;

/** A filter whose value is none. */
export interface WrongPart extends PartPlace {
  readonly kind: "wrong";
  readonly name: FilterName;
  /** What the filter needs. */
  readonly need: string;
}

export type QueryPart = WordPart | FilterPart | WrongPart;

/**
 * Reads the parts of a query, in order. Never throws: a filter with a wrong value is a part too.
 * The caller limits the length and the number of parts.
 *
 * @param nowMicros the microsecond since 1970 from which ages are counted.
 */
export function parseQuery(query: string, nowMicros: bigint): QueryPart[] {
  return [...query.matchAll(partPattern)]
    .map((match) => partOf(match, nowMicros))
    .filter((part) => part.kind !== "word" || part.text !== "");
}

// A part ends at white space outside quotes. Quotes begin a word, or the value of a filter. A quote
// in quotes is doubled.
const partPattern = new RegExp(
  "(?<minus>-(?=\\S))?" +
    `(?:(?<name>${Object.keys(filterNeeds).join("|")}):` +
    '(?:"(?<value>(?:[^"]|"")*)"?|(?<values>\\S*))' +
    '|"(?<quoted>(?:[^"]|"")*)"?|(?<word>\\S+))',
  "giu",
);

function partOf(match: RegExpMatchArray, nowMicros: bigint): QueryPart {
  const [written] = match;
  const start = match.index ?? 0;
  const { minus, name, value, values = "", quoted, word = "" } = match.groups ?? {};
  const isExcluded = minus !== undefined;
  const place = { written, start, end: start + written.length, isExcluded };
  if (name === undefined) {
    const isPattern = quoted === undefined && /[*?]/.test(word);
    return { kind: "word", ...place, text: quoted?.replaceAll('""', '"') ?? word, isPattern };
  }
  const filterName = name.toLowerCase() as FilterName;
  const given = value === undefined ? values.split(",") : [value.replaceAll('""', '"')];
  const read = readFilterValues(filterName, given, nowMicros);
  return read.isRead
    ? { kind: "filter", ...place, ...read.filter }
    : { kind: "wrong", ...place, name: filterName, need: filterNeeds[filterName] };
}

/** Whether an age of the query depends on the time at which it is asked. */
export function dependsOnTime(parts: readonly QueryPart[]): boolean {
  return parts.some((part) => part.kind === "filter" && part.dependsOnTime);
}
