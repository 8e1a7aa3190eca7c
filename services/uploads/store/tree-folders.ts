import sql, { type Sql } from "sql-template-tag";
import type { TreeFolder } from "../domain/folder-tree.ts";
import { clipRanges, type KeyRange } from "../domain/key-range.ts";
import type { NamePattern } from "../domain/name-pattern.ts";
import type { View } from "../domain/view.ts";
import type { Run } from "./database.ts";
import { type FolderRow, folderColumns, folderTables } from "./folder-columns.ts";
import { folderPathMatches, uploadNameMatches } from "./name-conditions.ts";
import { inRanges, uploadIsShown } from "./view-conditions.ts";

interface TreeRow extends FolderRow {
  bare: boolean;
  path_matches: boolean;
  holds_match: boolean;
}

/** Which folders of a bucket a tree is built from. */
export interface TreeScope {
  readonly bucketId: string;
  readonly view: View;
  /** The top folder and all under it. */
  readonly subtree: KeyRange;
}

/**
 * The top folder and those under it, in tree order, as far as the caller may know of them, with
 * what the filters say of each; at most `limit`, where one is given.
 */
export async function treeFolders(
  run: Run,
  { bucketId, view, subtree }: TreeScope,
  filters: { path: NamePattern | undefined; upload: NamePattern | undefined },
  limit: number | undefined,
): Promise<TreeFolder<FolderRow>[]> {
  const { path, upload } = filters;
  const ranges = clipRanges(view.ranges, subtree);
  const ancestors = [...view.ancestors];
  const inside = ranges.length === 0 ? sql`false` : inRanges(sql`f.tree_key`, ranges);
  const rows = await run<TreeRow>(sql`
    select ${folderColumns},
      not (${inside}) as bare,
      ${path === undefined ? sql`true` : folderPathMatches(path)} as path_matches,
      ${upload === undefined ? sql`true` : holdsMatch(upload, view)} as holds_match
    from ${folderTables}
    where f.bucket_id = ${bucketId}
      and f.tree_key >= ${subtree.from} and f.tree_key < ${subtree.to}
      and (${inside} or f.tree_key = any (${ancestors}::text[]))
    order by f.tree_key
    limit ${limit ?? null}::bigint`);
  return rows.map((row) => ({
    key: row.tree_key,
    row,
    bare: row.bare,
    pathMatches: row.path_matches,
    holdsMatch: row.holds_match,
  }));
}

function holdsMatch(name: NamePattern, view: View): Sql {
  return sql`exists (
    select from uploads.uploads u
    where u.bucket_id = f.bucket_id and u.folder_key = f.tree_key
      and ${uploadIsShown(view.clientId)} and ${uploadNameMatches(name)})`;
}
