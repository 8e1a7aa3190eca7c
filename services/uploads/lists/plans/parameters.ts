/** The values of the named parameters in list statements. */
import { type BucketLookup, versionParameters } from "../../access/bucket-lookup.ts";
import { rangeParameters, type Visibility } from "../../access/visibility.ts";
import { isoOfMicros } from "../../model/microseconds.ts";
import { allNGrams } from "../../model/n-grams.ts";
import { type TreeKey, treeKey } from "../../model/tree-key.ts";
import {
  coveringFolders,
  intersectRanges,
  rangesContain,
  subtreeRange,
  type TreeKeyRange,
} from "../../model/tree-key-range.ts";
import type { Position, UploadQuery } from "../../model/upload-query.ts";
import { escapeLike, nameParameters } from "../../search/name-conditions.ts";
import { termSearch } from "../../search/terms.ts";
import { type ListShape, sortKeys } from "./conditions.ts";
import { resultRowsMax } from "./list-result.ts";

/** A list as one caller sees it. */
export interface UploadList {
  readonly bucketId: string;
  /**
   * How the request named the bucket. Each statement checks that the name still means `bucketId`.
   */
  readonly lookup: BucketLookup;
  readonly visibility: Visibility;
  readonly query: UploadQuery;
}

/** The part of a list that is asked for. */
export interface PageRequest {
  /** The end of the page before; undefined for the first page. */
  readonly after: Position | undefined;
  readonly pageSize: number;
}

/** Where in the bucket the uploads of a list are, as far as the caller may see them. */
export type ListScope =
  | { readonly folder: TreeKey; readonly ranges?: never }
  /** Folders in these ranges, of which there is at least one. */
  | { readonly folder?: never; readonly ranges: readonly TreeKeyRange[] };

/** Returns undefined if the list is empty whatever is in the bucket. */
export function listScope({ query, visibility }: UploadList): ListScope | undefined {
  // No name has a slash.
  if (query.name?.text.includes("/")) return undefined;
  if (query.path === undefined) return scopeOf(visibility.ranges);
  const folder = treeKey(query.path);
  if (query.recursive) return scopeOf(intersectRanges(visibility.ranges, subtreeRange(folder)));
  return rangesContain(visibility.ranges, folder) ? { folder } : undefined;
}

function scopeOf(ranges: readonly TreeKeyRange[]): ListScope | undefined {
  return ranges.length === 0 ? undefined : { ranges };
}

export function listShape({ query, visibility }: UploadList, scope: ListScope): ListShape {
  const { sortBy, sortOrder, name } = query;
  const named = name === undefined ? "none" : "name";
  const filters = isFiltered(query, visibility) ? "any" : named;
  return { sortBy, sortOrder, isFolder: scope.folder !== undefined, filters };
}

/** Whether the list leaves out uploads by anything but their folders and names. */
function isFiltered(query: UploadQuery, { hidesUploads }: Visibility): boolean {
  return hidesUploads || hasTags(query) || isDated(query);
}

/** Whether the ranges are those of a whole bucket. */
export function isWholeBucket({ ranges = [] }: ListScope): boolean {
  const { from, to } = subtreeRange(treeKey("/"));
  return ranges.some((range) => range.from === from && range.to === to);
}

/** Whether the list has a filter on tags. */
export function hasTags({ tags }: UploadQuery): boolean {
  return tags.allOf.length + tags.anyOf.length + tags.noneOf.length > 0;
}

/** Whether the list has a range of creation times. */
export function isDated({ createdFrom, createdTo }: UploadQuery): boolean {
  return (createdFrom ?? createdTo) !== undefined;
}

/** Parameters of every plan. */
export function pageParameters(list: UploadList, scope: ListScope, page: PageRequest) {
  return {
    bucketId: list.bucketId,
    ...versionParameters(list.lookup),
    ...(scope.folder === undefined ? {} : { folderKey: scope.folder }),
    ...positionParameters(list.query, page),
    pageRows: page.pageSize + 1,
    resultRows: resultRowsMax(page.pageSize),
  };
}

/** Further parameters of all plans except the whole page. */
export function filterParameters({ bucketId, query, visibility }: UploadList, scope: ListScope) {
  return {
    ...(scope.folder === undefined
      ? { isWholeBucket: isWholeBucket(scope), ...rangeParameters(scope.ranges) }
      : {}),
    ...nameParameters(query.name),
    ...rowParameters(query, visibility),
    ...entryParameters(query, visibility),
    ...termParameters(query, scope, bucketId),
    nGrams: nGramsToSkipBy(query),
  };
}

/** Longer than an ID can be, of the last code point. */
const afterEveryId = "\u{10ffff}".repeat(33);

/**
 * The position before the first upload of the page, and the last sort key of the list. In the order
 * of creation, the range of dates bounds them.
 */
function positionParameters(query: UploadQuery, { after }: PageRequest) {
  const { least, most } = sortKeys[query.sortBy];
  const isByCreation = query.sortBy === "created_at";
  const from = (isByCreation && dateOf(query.createdFrom)) || least;
  const to = (isByCreation && dateOf(query.createdTo)) || most;
  const isAscending = query.sortOrder === "asc";
  return {
    startKey: after?.sortKey ?? (isAscending ? from : to),
    startUploadId: after?.uploadId ?? (isAscending ? "" : afterEveryId),
    endKey: isAscending ? to : from,
    afterEveryId,
    isEndedByDate:
      isByCreation && (isAscending ? query.createdTo : query.createdFrom) !== undefined,
  };
}

function dateOf(date: UploadQuery["createdFrom"]): string | undefined {
  return date === undefined ? undefined : isoOfMicros(date);
}

/** Parameters of `belongsToList`. */
function rowParameters(query: UploadQuery, visibility: Visibility) {
  const { tags } = query;
  return {
    isFiltered: isFiltered(query, visibility),
    createdFrom: dateOf(query.createdFrom) ?? "-infinity",
    createdTo: dateOf(query.createdTo) ?? "infinity",
    tagsAllOf: tags.allOf,
    tagsAnyOf: tags.anyOf,
    tagsNoneOf: tags.noneOf,
    clientId: visibility.clientId ?? null,
  };
}

/** Parameters of `mayBelongToList`. */
function entryParameters({ tags }: UploadQuery, { clientId, hidesUploads }: Visibility) {
  // Filter texts have this character around each tag, and omit tags that contain it.
  const patternsOf = (list: readonly string[]) =>
    list.map((tag) => `%\u0001${escapeLike(tag)}\u0001%`);
  return {
    tagPatternsAllOf: patternsOf(tags.allOf),
    tagPatternsAnyOf: patternsOf(tags.anyOf),
    // Two other tags side by side may look like a tag that contains it.
    tagPatternsNoneOf: patternsOf(tags.noneOf.filter((tag) => !tag.includes("\u0001"))),
    seesSomeHidden: !hidesUploads || clientId !== undefined,
  };
}

/** Parameters of the index fetch. */
function termParameters(query: UploadQuery, scope: ListScope, bucketId: string) {
  const { all, withoutCharacters } = termSearch(query.name, query.tags, bucketId);
  return {
    terms: all ?? null,
    termsWithoutCharacters: withoutCharacters ?? null,
    hasCharacterTerms: all !== withoutCharacters,
    isSelectiveWithoutCharacters: isSelectiveSearch(withoutCharacters, scope),
    coveringFolders: foldersWithTerms(scope),
  };
}

/** Whether the inverted index helps to find the list. */
export function isSelective({ bucketId, query }: UploadList, scope: ListScope): boolean {
  return isSelectiveSearch(termSearch(query.name, query.tags, bucketId).all, scope);
}

/**
 * Whether the inverted index may read much of itself before it returns the first upload: for each
 * single character it reads all terms that begin with it.
 */
export function readsManyTerms({ bucketId, query }: UploadList): boolean {
  const { all, withoutCharacters } = termSearch(query.name, query.tags, bucketId);
  return all !== withoutCharacters;
}

// For all uploads of a folder, its own indexes are faster.
function isSelectiveSearch(terms: string | undefined, scope: ListScope): boolean {
  return terms !== undefined || (scope.folder === undefined && foldersWithTerms(scope).length > 0);
}

/** Each of them is looked up in the index. A token has room for some hundreds. */
const foldersMax = 256;

function foldersWithTerms({ folder, ranges }: ListScope): readonly TreeKey[] {
  const folders = folder === undefined ? coveringFolders(ranges) : [folder];
  // The root has no term: it holds everything.
  return folders.includes("") || folders.length > foldersMax ? [] : folders;
}

/** Further n-grams hardly narrow the search. */
const nGramsMax = 16;

/** N-grams of every match, for the skip index. From a long text, some, spread over all of it. */
export function nGramsToSkipBy({ name }: UploadQuery): string[] {
  const nGrams = name === undefined ? [] : allNGrams(name);
  const step = Math.max(nGrams.length / nGramsMax, 1);
  return nGrams.filter((_, index) => index % step < 1);
}
