/** The values of the named parameters in list statements. */

import { everyNumber, type Interval, type IntervalSet } from "@stowage/api/query/intervals";
import { type BucketLookup, versionParameters } from "../../access/bucket-lookup.ts";
import { rangeParameters, type Visibility } from "../../access/visibility.ts";
import { idPrefix } from "../../model/id-prefix.ts";
import { isoOfMicros } from "../../model/microseconds.ts";
import { allNGrams } from "../../model/n-grams.ts";
import { namePattern } from "../../model/name-pattern.ts";
import { type TreeKey, treeKey } from "../../model/tree-key.ts";
import {
  intersectRanges,
  rangesContain,
  subtreeRange,
  type TreeKeyRange,
} from "../../model/tree-key-range.ts";
import type {
  Position,
  SortColumn,
  TagQuery,
  UploadFilters,
  UploadQuery,
} from "../../model/upload-query.ts";
import { nameParameters } from "../../search/name-conditions.ts";
import { queryParameters } from "../../search/query-conditions.ts";
import {
  type Fetch,
  fetchParameters,
  namesOfMatches,
  queryFetch,
} from "../../search/query-fetch.ts";
import { searchedPattern } from "../../search/search-words.ts";
import { signatureOfSearch } from "../../search/signature.ts";
import type { WordFolders } from "../../search/word-folders.ts";
import { type ListShape, sortKeys } from "./conditions.ts";
import { resultRowsMax } from "./list-result.ts";
import { type RangeColumn, rangeColumns } from "./plan.ts";

/** A list as one caller sees it. */
export interface UploadList {
  readonly bucketId: string;
  readonly bucketNumber: number;
  /** How the request named the bucket. Each statement checks that the name still means it. */
  readonly lookup: BucketLookup;
  readonly visibility: Visibility;
  readonly query: UploadQuery;
  /** The folders of `wordsOfFolders`, in their order. */
  readonly wordFolders?: readonly WordFolders[];
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
  if (query.name?.text.includes("/") || isEmpty(query.filters)) return undefined;
  const { folders } = query.filters ?? {};
  const ranges =
    folders === undefined
      ? visibility.ranges
      : folders.flatMap((range) => intersectRanges(visibility.ranges, range));
  if (query.path === undefined) return scopeOf(ranges);
  const folder = treeKey(query.path);
  if (query.recursive) return scopeOf(intersectRanges(ranges, subtreeRange(folder)));
  return rangesContain(ranges, folder) ? { folder, ranges: [rangeOf(folder)] } : undefined;
}

// The key of a folder below begins with this.
function rangeOf(folder: TreeKey): TreeKeyRange {
  return { from: folder, to: `${folder}\u0001` };
}

/** Whether no upload passes the filters. */
function isEmpty(filters: UploadFilters | undefined): boolean {
  if (filters === undefined) return false;
  const { sizes, created, updated, types, extensions } = filters;
  return [sizes, created, updated, types, extensions].some((allowed) => allowed?.length === 0);
}

function scopeOf(ranges: readonly TreeKeyRange[]): ListScope | undefined {
  return ranges.length === 0 ? undefined : { ranges };
}

export function listShape({ query, visibility }: UploadList, scope: ListScope): ListShape {
  const { sortBy, sortOrder, name } = query;
  const named = name === undefined ? "none" : "name";
  const filters = isFiltered(query, visibility) ? "any" : named;
  return {
    ...{ sortBy, sortOrder, isFolder: scope.folder !== undefined },
    filters: query.filters === undefined ? filters : "query",
  };
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
export function filterParameters(list: UploadList, scope: ListScope) {
  const { query, visibility } = list;
  const { clientId, hidesUploads } = visibility;
  const { tags } = query;
  return {
    isWholeBucket: isWholeBucket(scope),
    ...rangeParameters(scope.ranges),
    ...nameParameters(query.name),
    signature: signatureOf(query),
    isFiltered: isFiltered(query, visibility),
    createdFrom: dateOf(query.createdFrom) ?? "-infinity",
    createdTo: dateOf(query.createdTo) ?? "infinity",
    tagsAllOf: tags.allOf,
    tagsAnyOf: tags.anyOf,
    tagsNoneOf: tags.noneOf,
    clientId: clientId ?? null,
    seesHidden: !hidesUploads || clientId !== undefined,
    nGrams: nGramsToSkipBy(list),
    ...fetchParameters(fetchOf(list)),
    ...(query.filters && queryParameters(query.filters, list.wordFolders ?? [])),
    ...(query.filters && rangeParametersOf(query)),
  };
}

/** The ranges of keys that a list bounds, by the sorts that have them. */
export function keyRanges({
  createdFrom,
  createdTo,
  filters,
}: UploadQuery): Readonly<Record<RangeColumn, Interval>> {
  const hull = (set: IntervalSet = everyNumber) => ({ from: set[0]?.from, to: set.at(-1)?.to });
  return {
    created_at: { from: createdFrom, to: createdTo },
    updated_at: hull(filters?.updated),
    size_bytes: hull(filters?.sizes),
  };
}

function rangeParametersOf(query: UploadQuery) {
  const { updated_at: updated, size_bytes: sizes } = keyRanges(query);
  return {
    updatedFrom: dateOf(updated.from) ?? "-infinity",
    updatedTo: dateOf(updated.to) ?? "infinity",
    sizeFrom: sizes.from ?? sortKeys.size_bytes.least,
    sizeTo: sizes.to ?? sortKeys.size_bytes.most,
  };
}

/** What the indexes find the uploads of the list by; undefined if they do not help. */
export function fetchOf({ query, wordFolders = [] }: UploadList): Fetch | undefined {
  const { name, tags, filters } = query;
  const pattern = searchedPattern(name, neededTags(tags));
  if (filters === undefined) return pattern === undefined ? undefined : { pattern };
  return queryFetch(filters, wordFolders, pattern);
}

/** Whether signatures tell some uploads that do not belong to the list. */
export function hasBits(query: UploadQuery): boolean {
  return signatureOf(query) !== 0n || (query.filters?.words.length ?? 0) > 0;
}

/** The bits that every upload of the list has. */
function signatureOf({ name, tags, filters }: UploadQuery): bigint {
  const [extension, ...others] = filters?.extensions ?? [];
  const ofSearch = signatureOfSearch(name, neededTags(tags));
  if (extension === undefined || others.length > 0) return ofSearch;
  return ofSearch | signatureOfSearch(namePattern("contains", `.${extension}`, false));
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
  const range = keyRangeOf(query);
  const from = range.from ?? least;
  const to = range.to ?? most;
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

/** The range of keys of the list in its own order. */
function keyRangeOf(query: UploadQuery): { readonly from?: string; readonly to?: string } {
  const { sortBy } = query;
  if (!isRangeColumn(sortBy)) return {};
  const { from, to } = keyRanges(query)[sortBy];
  const textOf = sortBy === "size_bytes" ? String : isoOfMicros;
  return {
    ...(from !== undefined && { from: textOf(from) }),
    ...(to !== undefined && { to: textOf(to) }),
  };
}

function isRangeColumn(sortBy: SortColumn): sortBy is RangeColumn {
  return rangeColumns.some((column) => column === sortBy);
}

function dateOf(date: UploadQuery["createdFrom"]): string | undefined {
  return date === undefined ? undefined : isoOfMicros(date);
}

/** Further n-grams hardly narrow the search. */
const nGramsMax = 16;

/** N-grams of every match, for the skip index. From a long text, some, spread over all of it. */
export function nGramsToSkipBy({ query, wordFolders = [] }: UploadList): string[] {
  const { name, filters } = query;
  const names = filters === undefined ? [] : namesOfMatches(filters, wordFolders);
  const nGrams = [...(name === undefined ? [] : [name]), ...names].flatMap(allNGrams);
  const step = Math.max(nGrams.length / nGramsMax, 1);
  return nGrams.filter((_, index) => index % step < 1);
}
