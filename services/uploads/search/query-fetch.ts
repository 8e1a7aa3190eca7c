/** What finds the uploads of a list in the index of names, and in that of folders. */
import { type NamePattern, namePattern } from "../model/name-pattern.ts";
import type { UploadFilters } from "../model/upload-query.ts";
import { namePartOf, neededWords, wordsOfFolders } from "./query-conditions.ts";
import { searchedPattern } from "./search-words.ts";
import { isInFolders, noPosition, type WordFolders } from "./word-folders.ts";

/** Uploads whose names match the pattern, those in the folders, and those of the types. */
export interface Fetch {
  /** A pattern of LIKE over the searched text. */
  readonly pattern?: string;
  /** The positions of folders, with how many uploads are in them. */
  readonly folders?: WordFolders;
  readonly types?: readonly number[];
}

/**
 * If anything can only be in names, that finds the list: an extension, a pattern, a word that no
 * path has. Otherwise the word that the fewest uploads have in their paths finds it, or the types.
 *
 * @param pattern by which names and tags are found; undefined if there is none.
 */
export function queryFetch(
  filters: UploadFilters,
  wordFolders: readonly WordFolders[],
  pattern: string | undefined,
): Fetch | undefined {
  const words = wordsOfFolders(filters).map((word, at) => ({
    folders: wordFolders[at],
    pattern: searchedPattern(namePartOf(word)),
    isInFolders: isInFolders(word.text),
  }));
  const ofNames = [
    pattern,
    ...namesOfMatches(filters, wordFolders).map((each) => searchedPattern(each)),
  ].filter((each) => each !== undefined);
  const [longest] = ofNames.toSorted((a, b) => b.length - a.length);
  if (longest !== undefined) return { pattern: longest };
  const [fewest] = words
    .flatMap(({ folders, pattern, isInFolders }): Fetch[] => {
      if (folders?.positions === undefined) return [];
      if (isInFolders) return [{ folders }];
      return pattern === undefined ? [] : [{ pattern, folders }];
    })
    .toSorted((a, b) => (a.folders?.uploads ?? 0) - (b.folders?.uploads ?? 0));
  if (fewest !== undefined) return fewest;
  return filters.types === undefined ? undefined : { types: filters.types };
}

/**
 * What the names of all matches have: an extension, a pattern, a word that no path has.
 *
 * @param wordFolders those of `wordsOfFolders`, in their order.
 */
export function namesOfMatches(
  filters: UploadFilters,
  wordFolders: readonly WordFolders[],
): NamePattern[] {
  const [extension, ...others] = filters.extensions ?? [];
  return [
    ...wordsOfFolders(filters)
      .filter((_, at) => wordFolders[at]?.positions === noPosition)
      .map(namePartOf),
    ...neededWords(filters)
      .filter(({ isPattern }) => isPattern)
      .map(namePartOf),
    extension !== undefined && others.length === 0
      ? namePattern("contains", `.${extension}`, false)
      : undefined,
  ].filter((each) => each !== undefined);
}

/** The parameters of the queries of `index-fetch.ts`. */
export function fetchParameters(fetch: Fetch | undefined) {
  return {
    searchedPattern: fetch?.pattern ?? null,
    foundFolders: fetch?.folders?.positions ?? noPosition,
    foundTypes: fetch?.types ?? [],
  };
}
