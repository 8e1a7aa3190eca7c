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
  const words = new Set(tags.map((tag) => `t${spelt(tag, 5)}`));
  for (const text of texts) addWordsOf(text, words);
  return [...words].sort();
}

function addWordsOf(text: string, words: Set<string>): void {
  let before: string | undefined;
  for (const character of text) {
    const isAscii = character < "\u0080";
    if (!isAscii) words.add(wordOf(character));
    const isInPairs = !isAscii || letterOrDigit.test(character);
    if (isInPairs && before !== undefined) {
      const pair = before + character;
      if (!frequentPairs.has(pair)) words.add(wordOf(pair));
    }
    before = isInPairs ? character : undefined;
  }
}

const letterOrDigit = /[a-z0-9]/;

const knownWords = new Map<string, string>();
const knownWordsMax = 10_000;

function wordOf(nGram: string): string {
  let word = knownWords.get(nGram);
  if (word === undefined) {
    if (knownWords.size === knownWordsMax) knownWords.clear();
    word = `q${spelt(nGram, 3)}`;
    knownWords.set(nGram, word);
  }
  return word;
}

/** A hash of the text, as so many letters and digits. */
function spelt(text: string, length: number): string {
  const hash = createHash("sha256").update(text).digest();
  return (hash.readUIntBE(0, 6) % 36 ** length).toString(36).padStart(length, "0");
}
