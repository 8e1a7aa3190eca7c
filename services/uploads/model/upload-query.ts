import type { Microseconds } from "./microseconds.ts";
import type { NamePattern } from "./name-pattern.ts";

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
  readonly sortBy: SortColumn;
  readonly sortOrder: SortOrder;
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
}

/** The query of a bucket as text, for its cursors: equal for queries that select the same list. */
export function canonicalQuery(bucketId: string, query: UploadQuery): string {
  const { path, recursive, tags, createdFrom, createdTo, name, sortBy, sortOrder } = query;
  return JSON.stringify([
    bucketId,
    path ?? null,
    path !== undefined && recursive,
    [tags.allOf, tags.anyOf, tags.noneOf].map((list) => [...new Set(list)].sort()),
    createdFrom?.toString() ?? null,
    createdTo?.toString() ?? null,
    name === undefined ? null : [name.rule, name.text],
    sortBy,
    sortOrder,
  ]);
}
