/** The filters of a query as conditions in SQL over an upload `u`, with their parameters. */
import { type IntervalSet, isEveryNumber } from "@stowage/api/query/intervals";
import { isoOfMicros } from "../model/microseconds.ts";
import { type NamePattern, namePattern, searchPattern } from "../model/name-pattern.ts";
import type { QueryWord, UploadFilters } from "../model/upload-query.ts";
import { escapeLike, foldedFilename, foldedSlug, likePattern } from "./name-conditions.ts";
import { signatureOfSearch } from "./signature.ts";
import { isInFolders, noPosition, type WordFolders } from "./word-folders.ts";

/** Path and filename of an upload, folded. `offset 0` has the folder looked up once. */
const foldedLocation = `(
  select case folded.path when '/' then '' else folded.path end || '/' || ${foldedFilename}
  from (select coalesce((
    select f.path_folded from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_position = u.tree_position), u.path)
    offset 0) folded (path))`;

/** Whether an upload has all words, and none that is excluded. */
const hasWords = `(cardinality(:words::text[]) = 0 or (
  select bool_and(case w.place
    when 'location' then l.location like w.pattern
    when 'name' then
      coalesce(${foldedFilename} like w.pattern or ${foldedSlug} like w.pattern, false)
    else coalesce(l.location like w.pattern or ${foldedSlug} like w.pattern, false)
  end <> w.is_excluded)
  from (select ${foldedLocation} offset 0) l (location)
  cross join unnest(:words::text[], :wordPlaces::text[], :wordsExcluded::boolean[])
    as w (pattern, place, is_excluded)))`;

/** Whether an upload has all that the filters of a query ask for. */
export const passesQuery = `u.size_bytes <@ :sizes::int8multirange
  and u.created_at <@ :createdTimes::tstzmultirange
  and u.updated_at <@ :updatedTimes::tstzmultirange
  and (:types::smallint[] is null or u.type = any (:types::smallint[]))
  and (:extensions::text[] is null or ${foldedFilename} like any (:extensions::text[]))
  and not ${foldedFilename} like any (:extensionsExcluded::text[])
  and ${hasWords}`;

/** Words that index entries are checked for. Further ones are only looked for in rows. */
const entryWords = [1, 2, 3];

/**
 * Whether an index entry may be of an upload with the words: its folder is one of theirs, or its
 * signature has their bits.
 */
export const entryMayHaveWords = entryWords
  .map((number) => {
    const signature = `:wordSignature${number}::bigint`;
    return `(u.tree_position <@ :wordFolders${number}::int8multirange
      or u.signature & ${signature} = ${signature})`;
  })
  .join(" and ");

const everyPosition = "{(,)}";

/** The parameters of these conditions. */
export function queryParameters(filters: UploadFilters, folders: readonly WordFolders[]) {
  const { words, sizes, created, updated, types, extensions, extensionsExcluded } = filters;
  const needed = neededWords(filters);
  const ofEntries = entryWords.flatMap((number) => {
    const word = needed[number - 1];
    return [
      [`wordFolders${number}`, word ? positionsOf(word, folders[number - 1]) : everyPosition],
      [`wordSignature${number}`, word ? signatureOfWord(word) : 0n],
    ];
  });
  return {
    sizes: multirange(sizes, String),
    createdTimes: multirange(created, isoOfMicros),
    updatedTimes: multirange(updated, isoOfMicros),
    types: types ?? null,
    extensions: extensions?.map(extensionPattern) ?? null,
    extensionsExcluded: extensionsExcluded.map(extensionPattern),
    words: words.map(patternOf),
    wordPlaces: words.map(placeOf),
    wordsExcluded: words.map(({ isExcluded }) => isExcluded),
    ...Object.fromEntries(ofEntries),
  };
}

/**
 * The words that every upload of the list has, those that tell most about folders first: long ones,
 * then patterns, which tell nothing.
 */
export function neededWords({ words }: UploadFilters): readonly QueryWord[] {
  return words
    .filter(({ isExcluded }) => !isExcluded)
    .toSorted((a, b) =>
      a.isPattern === b.isPattern
        ? b.text.length - a.text.length
        : Number(a.isPattern) - Number(b.isPattern),
    );
}

/** The words whose folders are worth knowing. */
export function wordsOfFolders(filters: UploadFilters): readonly QueryWord[] {
  return neededWords(filters)
    .slice(0, entryWords.length)
    .filter(({ isPattern }) => !isPattern);
}

function positionsOf({ text, isPattern }: QueryWord, folders: WordFolders | undefined): string {
  if (isPattern) return text.includes("/") ? everyPosition : noPosition;
  return folders?.positions ?? everyPosition;
}

/**
 * What the name of an upload has of a word that is not in its path: all of it, or a pattern without
 * a slash. Undefined: the name does not tell.
 */
export function namePartOf({ text, isPattern }: QueryWord): NamePattern | undefined {
  if (isPattern) return text.includes("/") ? undefined : searchPattern(text);
  return isInFolders(text) ? undefined : namePattern("contains", text, false);
}

/** The bits of names that have the word; those of no name if only folders tell. */
function signatureOfWord(word: QueryWord): bigint {
  return !word.isPattern && isInFolders(word.text) ? -1n : signatureOfSearch(namePartOf(word));
}

function placeOf({ text, isPattern }: QueryWord): "location" | "name" | "any" {
  if (!isPattern) return "any";
  return text.includes("/") ? "location" : "name";
}

function patternOf({ text, isPattern }: QueryWord): string {
  return isPattern ? likePattern(searchPattern(text)) : `%${escapeLike(text)}%`;
}

function extensionPattern(extension: string): string {
  return `%.${escapeLike(extension)}`;
}

/** As PostgreSQL writes it: `{[1,5],[9,)}`. */
function multirange(set: IntervalSet, textOf: (value: bigint) => string): string {
  if (isEveryNumber(set)) return everyPosition;
  const ranges = set.map(({ from, to }) => {
    const start = from === undefined ? "(" : `["${textOf(from)}"`;
    return `${start},${to === undefined ? ")" : `"${textOf(to)}"]`}`;
  });
  return `{${ranges.join(",")}}`;
}
