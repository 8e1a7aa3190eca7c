/**
 * Searches of the inverted index (schema/0006-terms.sql), as text of type `tsquery`. They find
 * every upload that matches, and may find others.
 */
import { termNGrams } from "../model/n-grams.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import type { TagQuery } from "../model/upload-query.ts";

interface Term {
  readonly text: string;
  /** Whether it is a prefix of one character. Very many terms may begin with it. */
  readonly isCharacter: boolean;
}

interface TermSearch {
  /** Undefined if the index does not help. */
  readonly all: string | undefined;
  /** Without the terms of a single character. The same as `all` if there are none. */
  readonly withoutCharacters: string | undefined;
}

/** The search for a name and tags. */
export function termSearch(
  name: NamePattern | undefined,
  tags: TagQuery,
  bucketId: string,
): TermSearch {
  const nameTerms = name === undefined ? [] : termsOfName(name, bucketId);
  const tagTerms = termsOfTags(tags, bucketId);
  const searchOf = (terms: readonly Term[]) =>
    [...tagTerms, ...terms.map(({ text }) => text)].join(" & ") || undefined;
  return {
    all: searchOf(nameTerms),
    withoutCharacters: searchOf(nameTerms.filter((term) => !term.isCharacter)),
  };
}

/** The search for a name alone; undefined if the index does not help, or reads too much. */
export function nameSearch(name: NamePattern, bucketId: string): string | undefined {
  const terms = termsOfName(name, bucketId);
  if (terms.length === 0 || terms.some((term) => term.isCharacter)) return undefined;
  return terms.map(({ text }) => text).join(" & ");
}

function termsOfName(pattern: NamePattern, bucketId: string): Term[] {
  const { nGrams, prefixes, nameLength } = termNGrams(pattern);
  const bucket = bucketSuffix(bucketId);
  const terms = [
    ...nGrams.map((nGram) => ({ text: quoted(`n${bucket}${nGram}`), isCharacter: false })),
    ...prefixes.map((prefix) => ({
      text: `${quoted(`n${bucket}${prefix}`)}:*`,
      isCharacter: [...prefix].length === 1,
    })),
  ];
  if (nameLength !== undefined) {
    terms.push({ text: quoted(`l${bucket}${nameLength}`), isCharacter: false });
  }
  return terms;
}

/** Code points of a tag in its term. */
const tagLengthMax = 64;

function termsOfTags({ allOf, anyOf }: TagQuery, bucketId: string): string[] {
  const bucket = bucketSuffix(bucketId);
  const term = (tag: string) => quoted(`t${bucket}${[...tag].slice(0, tagLengthMax).join("")}`);
  const terms = allOf.map(term);
  if (anyOf.length > 0) terms.push(`(${anyOf.map(term).join(" | ")})`);
  return terms;
}

/** A part of every term, so that a search reads few terms of other buckets. */
function bucketSuffix(bucketId: string): string {
  return bucketId.slice(-4);
}

function quoted(term: string): string {
  return `'${term.replace(/['\\]/g, "$&$&")}'`;
}
