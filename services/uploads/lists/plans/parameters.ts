/** The values of the named parameters in list statements. */
import { type BucketLookup, versionParameters } from "../../access/bucket-lookup.ts";
import { rangeParameters, type Visibility } from "../../access/visibility.ts";
import { idPrefix } from "../../model/id-prefix.ts";
import { isoOfMicros } from "../../model/microseconds.ts";
import { allNGrams } from "../../model/n-grams.ts";
import { type TreeKey, treeKey } from "../../model/tree-key.ts";
import {
  intersectRanges,
  rangesContain,
  subtreeRange,
  type TreeKeyRange,
} from "../../model/tree-key-range.ts";
import type { Position, TagQuery, UploadQuery } from "../../model/upload-query.ts";
import { nameParameters } from "../../search/name-conditions.ts";
import { searchedPattern } from "../../search/search-words.ts";
import { signatureOfSearch } from "../../search/signature.ts";
import { type ListShape, sortKeys } from "./conditions.ts";
import { resultRowsMax } from "./list-result.ts";

/** A list as one caller sees it. */
export interface UploadList {
  readonly bucketId: string;
  readonly bucketNumber: number;
  /** How the request named the bucket. Each statement checks that the name still means it. */
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
export interface ListScope {
  /** The folder, if the list is of a single one. */
  readonly folder?: TreeKey;
  /** The folders, in at least one range. */
  readonly ranges: readonly TreeKeyRange[];
}

/** Returns undefined if the list is empty whatever is in the bucket. */
export function listScope({ query, visibility }: UploadList): ListScope | undefined {
  // No name has a slash.
  if (query.name?.text.includes("/")) return undefined;
  if (query.path === undefined) return scopeOf(visibility.ranges);
  const folder = treeKey(query.path);
  if (query.recursive) return scopeOf(intersectRanges(visibility.ranges, subtreeRange(folder)));
  return rangesContain(visibility.ranges, folder)
    ? { folder, ranges: [rangeOf(folder)] }
    : undefined;
}

// The key of a folder below begins with this.
function rangeOf(folder: TreeKey): TreeKeyRange {
  return { from: folder, to: `${folder}\u0001` };
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
export function isWholeBucket({ ranges }: ListScope): boolean {
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
    bucketNumber: list.bucketNumber,
    ...versionParameters(list.lookup),
    ...(scope.folder === undefined ? {} : { folderKey: scope.folder }),
    ...positionParameters(list.query, page),
    pageRows: page.pageSize + 1,
    resultRows: resultRowsMax(page.pageSize),
  };
}

/** Further parameters of all plans except the whole page. */
export function filterParameters({ query, visibility }: UploadList, scope: ListScope) {
  const { clientId, hidesUploads } = visibility;
  const { tags } = query;
  return {
    isWholeBucket: isWholeBucket(scope),
    ...rangeParameters(scope.ranges),
    ...nameParameters(query.name, neededTags(tags)),
    isFiltered: isFiltered(query, visibility),
    createdFrom: dateOf(query.createdFrom) ?? "-infinity",
    createdTo: dateOf(query.createdTo) ?? "infinity",
    tagsAllOf: tags.allOf,
    tagsAnyOf: tags.anyOf,
    tagsNoneOf: tags.noneOf,
    clientId: clientId ?? null,
    seesHidden: !hidesUploads || clientId !== undefined,
    searchedPattern: patternToFind(query) ?? null,
    nGrams: nGramsToSkipBy(query),
  };
}

/** By what the index of names finds the list; undefined if it does not help. */
export function patternToFind({ name, tags }: UploadQuery): string | undefined {
  return searchedPattern(name, neededTags(tags));
}

/** Whether signatures tell some uploads that do not belong to the list. */
export function hasBits({ name, tags }: UploadQuery): boolean {
  return signatureOfSearch(name, neededTags(tags)) !== 0n;
}

/** The tags that every upload of the list has. */
function neededTags({ allOf, anyOf }: TagQuery): readonly string[] {
  return anyOf.length === 1 ? [...allOf, ...anyOf] : allOf;
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
  const beforeIds = isAscending ? "" : afterEveryId;
  return {
    startKey: after?.sortKey ?? (isAscending ? from : to),
    startIdPrefix: after === undefined ? beforeIds : idPrefix(after.uploadId),
    startUploadId: after?.uploadId ?? beforeIds,
    endKey: isAscending ? to : from,
    afterEveryId,
    isEndedByDate:
      isByCreation && (isAscending ? query.createdTo : query.createdFrom) !== undefined,
  };
}

function dateOf(date: UploadQuery["createdFrom"]): string | undefined {
  return date === undefined ? undefined : isoOfMicros(date);
}

/** Further n-grams hardly narrow the search. */
const nGramsMax = 16;

/** N-grams of every match, for the skip index. From a long text, some, spread over all of it. */
export function nGramsToSkipBy({ name }: UploadQuery): string[] {
  const nGrams = name === undefined ? [] : allNGrams(name);
  const step = Math.max(nGrams.length / nGramsMax, 1);
  return nGrams.filter((_, index) => index % step < 1);
}
