/** The shapes that a list request can have: where, by what, and in which direction. */
import type { Places } from "../database/find-places.ts";
import type { PageRequest } from "../yardsticks/page-query.ts";

export const scopes = ["bucket", "folder", "subtree"] as const;
export const sorts = ["created_at", "updated_at", "filename", "size_bytes", "order"] as const;
export const directions = ["desc", "asc"] as const;

export interface ListShape {
  readonly scope: (typeof scopes)[number];
  readonly sortBy: (typeof sorts)[number];
  readonly sortOrder: (typeof directions)[number];
}

export const listShapes: readonly ListShape[] = scopes.flatMap((scope) =>
  sorts.flatMap((sortBy) => directions.map((sortOrder) => ({ scope, sortBy, sortOrder }))),
);

/** What every other figure of a list is compared with. */
export const newestOfFolder: ListShape = {
  scope: "folder",
  sortBy: "created_at",
  sortOrder: "desc",
};

/** The request for the first page. */
export function pageRequest({ scope, ...sorting }: ListShape, places: Places): PageRequest {
  const where = {
    bucket: {},
    folder: { path: places.folder.path },
    subtree: { path: places.subtree.path, recursive: true },
  };
  return { ...where[scope], ...sorting };
}

/** How many uploads the list has in all. */
export function uploadsOf({ scope }: ListShape, places: Places): number {
  return scope === "bucket" ? places.uploads : places[scope].uploads;
}
