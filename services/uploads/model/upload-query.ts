import type { IntervalSet } from "@stowage/api/query/intervals";
import type { Microseconds } from "./microseconds.ts";
import type { NamePattern } from "./name-pattern.ts";
import type { TreeKeyRange } from "./tree-key-range.ts";

export const sortColumns = ["created_at", "updated_at", "filename", "size_bytes", "order"] as const;
export const sortOrders = ["asc", "desc"] as const;
export type SortColumn = (typeof sortColumns)[number];
type SortOrder = (typeof sortOrders)[number];

/** Which uploads of a bucket a list holds, and in which order. */
export interface UploadQuery {
  /** The folder, in normal form; none for the whole bucket. */
  readonly path: string | undefined;
  readonly recursive: boolean;
  readonly tags: TagQuery;
  /** `createdAt` at or after. */
  readonly createdFrom: Microseconds | undefined;
  /** `createdAt` at or before. */
  readonly createdTo: Microseconds | undefined;
  readonly name: NamePattern | undefined;
  /** Undefined: none. */
  readonly filters?: UploadFilters | undefined;
  readonly sortBy: SortColumn;
  readonly sortOrder: SortOrder;
}

/** The filters that `query` and its structured forms add. */
export interface UploadFilters {
  readonly words: readonly QueryWord[];
  /** The folders that uploads may be in; undefined for all. */
  readonly folders: readonly TreeKeyRange[] | undefined;
  readonly sizes: IntervalSet;
  /** Times in microseconds since 1970. */
  readonly created: IntervalSet;
  readonly updated: IntervalSet;
  /** The numbers of types, in order; undefined for all. */
  readonly types: readonly number[] | undefined;
  /** Folded, in order; undefined for all. */
  readonly extensions: readonly string[] | undefined;
  readonly extensionsExcluded: readonly string[];
}

/** A text that names must have, or must not. */
export interface QueryWord {
  /** Folded. */
  readonly text: string;
  readonly isExcluded: boolean;
  /** A pattern for a whole name; with a slash in it, for path and filename as a whole. */
  readonly isPattern: boolean;
}

export interface TagQuery {
  readonly allOf: readonly string[];
  readonly anyOf: readonly string[];
  readonly noneOf: readonly string[];
}

/** Where a page ended: the sort key of its last upload, as text, and that upload's ID. */
export interface Position {
  readonly sortKey: string;
  readonly uploadId: string;
  /** The time from which the list counts ages, as microseconds since 1970. */
  readonly asOfMicros?: string | undefined;
}

/** The query of a bucket as text, for its cursors: equal for queries that select the same list. */
export function canonicalQuery(bucketId: string, query: UploadQuery): string {
  const { path, recursive, tags, createdFrom, createdTo, name, filters, sortBy, sortOrder } = query;
  return JSON.stringify([
    bucketId,
    path ?? null,
    path !== undefined && recursive,
    [tags.allOf, tags.anyOf, tags.noneOf].map((list) => [...new Set(list)].sort()),
    createdFrom?.toString() ?? null,
    createdTo?.toString() ?? null,
    name === undefined ? null : [name.rule, name.text],
    filters === undefined ? null : canonicalFilters(filters),
    sortBy,
    sortOrder,
  ]);
}

function canonicalFilters(filters: UploadFilters) {
  const { words, folders, sizes, created, updated, types, extensions, extensionsExcluded } =
    filters;
  const wordTexts = words.map((word) => JSON.stringify(word));
  return [
    [...new Set(wordTexts)].sort(),
    folders?.map(({ from, to }) => [from, to]) ?? null,
    ...[sizes, created, updated].map((set) => set.map(({ from, to }) => `${from}..${to}`)),
    types ?? null,
    extensions ?? null,
    extensionsExcluded,
  ];
}
