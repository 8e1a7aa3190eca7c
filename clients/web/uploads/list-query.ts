/** What the page asks `ListUploads` for. */
import type { Address } from "../address/address.ts";
import { readQuery } from "../query/page-query.ts";
import type { ListEnd } from "./two-ended-list.ts";

/** The fields of a request that are the same for all pages of a list, as JSON has them. */
export interface ListQuery {
  readonly bucketRef: { readonly bucketId: string };
  readonly path?: string;
  readonly recursive?: boolean;
  readonly query?: string;
  readonly sortBy: string;
  readonly sortOrder: "asc" | "desc";
}

export function listQueryOf(bucketId: string, address: Address): ListQuery {
  const { folder, sortBy, sortOrder } = address;
  const recursive = isDeep(address);
  const { sent } = readQuery(address.query);
  return {
    bucketRef: { bucketId },
    // Everything under the root is the whole bucket.
    ...(recursive && folder === "/" ? {} : { path: folder, recursive }),
    ...(sent !== "" && { query: sent }),
    sortBy,
    sortOrder,
  };
}

/**
 * Whether uploads of folders under the folder are listed. A search always finds them: people do not
 * know in which folder a file is.
 */
export function isDeep(address: Address): boolean {
  return address.isRecursive || isSearch(address);
}

/** Whether something is searched for, so that totals of folders do not count the list. */
export function isSearch({ query }: Address): boolean {
  return readQuery(query).sent !== "";
}

/** The same list, read from one of its ends. */
export function readFrom(end: ListEnd, query: ListQuery): ListQuery {
  if (end === "start") return query;
  return { ...query, sortOrder: query.sortOrder === "asc" ? "desc" : "asc" };
}
