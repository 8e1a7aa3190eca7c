/**
 * What the index of names contains of an upload beside its filename, and how it is searched
 * (schema/0006-search.sql). The index has the trigrams of words, which are letters and digits of
 * ASCII in a database with the locale C. Three kinds of texts need words of their own:
 *
 * - a slug that differs from the filename, as it is;
 * - each character beyond ASCII, each pair of adjacent characters with one, and each pair of ASCII
 *   letters or digits that is not frequent: spelt as a word of letters and digits. Frequent pairs
 *   are in so many names that scanning finds them sooner;
 * - tags, spelt likewise.
 *
 * The words are in byte order after the slug, with a space before and after each: a pattern of LIKE
 * can then ask for several.
 */
import { createHash } from "node:crypto";
import { literalRuns } from "../model/n-grams.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import { frequentPairs } from "./frequent-pairs.ts";
import { escapeLike } from "./name-conditions.ts";

/**
 * @param slug folded; undefined if it is the filename.
 * @returns undefined if the filename is enough.
 */
export function searchWords(
  filename: string,
  slug: string | undefined,
  tags: readonly string[],
): string | undefined {
  const words = wordsOf([filename, ...(slug === undefined ? [] : [slug])], tags);
  if (slug === undefined && words.length === 0) return undefined;
  return ` ${[...(slug === undefined ? [] : [slug]), ...words].join(" ")} `;
}

/**
 * The pattern of LIKE that finds every upload whose name matches and that has all the tags.
 *
 * @returns undefined if the index would not help: nothing that is searched has a trigram.
 */
export function searchedPattern(
  name: NamePattern | undefined,
  tags: readonly string[] = [],
): string | undefined {
  // Only folded names are in the index.
  const runs = name === undefined || name.caseSensitive ? [] : literalRuns(name);
  // Filenames have no slash: it marks their ends.
  const texts = runs.map((run) => run.join("").replaceAll("/", "")).filter((text) => text !== "");
  const words = wordsOf(texts, tags);
  if (words.length === 0 && !texts.some((text) => trigram.test(text))) return undefined;
  const wordPattern = words.length === 0 ? "" : ` ${words.join(" %")} %`;
  return `%${[...texts.map(escapeLike), wordPattern].join("%")}`;
}

/** A word has the trigrams of its first characters too. */
const trigram = /[a-z0-9]{3}|[^a-z0-9][a-z0-9]{2}/;

function wordsOf(texts: readonly string[], tags: readonly string[]): string[] {
  const words = new Set(tags.map(wordOfTag));
  for (const text of texts) addWordsOf(text, words);
  return words.size === 0 ? [] : [...words].sort();
}

function addWordsOf(text: string, words: Set<string>): void {
  let before = -1;
  for (let at = 0; at < text.length; at++) {
    const next = text.codePointAt(at) as number;
    if (next > 0xffff) at += 1;
    if (next >= asciiSize) words.add(wordOf(String.fromCodePoint(next)));
    if (before >= 0 && hasWord(before, next)) words.add(wordOf(String.fromCodePoint(before, next)));
    before = next;
  }
}

/** Whether the pair of adjacent characters has a word. */
function hasWord(one: number, other: number): boolean {
  if (one < asciiSize && other < asciiSize) return asciiHasWord[one * asciiSize + other] === 1;
  return isInPairs(one) && isInPairs(other);
}

const asciiSize = 128;

/** Of each pair of ASCII characters. */
const asciiHasWord = Uint8Array.from({ length: asciiSize ** 2 }, (_, pair) => {
  const [one, other] = [Math.floor(pair / asciiSize), pair % asciiSize];
  const isFrequent = frequentPairs.has(String.fromCharCode(one, other));
  return isInPairs(one) && isInPairs(other) && !isFrequent ? 1 : 0;
});

function isInPairs(character: number): boolean {
  return character >= asciiSize || /[a-z0-9]/.test(String.fromCharCode(character));
}

const wordOf = remembering((nGram) => `q${spelt(nGram, 3)}`);
const wordOfTag = remembering((tag) => `t${spelt(tag, 5)}`);

const rememberedMax = 10_000;

/** The same function, which knows its last results. */
function remembering(make: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let word = known.get(text);
    if (word === undefined) {
      if (known.size === rememberedMax) known.clear();
      word = make(text);
      known.set(text, word);
    }
    return word;
  };
}

/** A hash of the text, as so many letters and digits. */
function spelt(text: string, length: number): string {
  const hash = createHash("sha256").update(text).digest();
  return (hash.readUIntBE(0, 6) % 36 ** length).toString(36).padStart(length, "0");
}
