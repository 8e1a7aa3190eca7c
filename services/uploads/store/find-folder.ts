import sql, { type Sql } from "sql-template-tag";
import { type TreeKey, treeKey } from "../domain/tree-key.ts";
import type { Run } from "./database.ts";

/** How a request names a folder. */
export type FolderName = { folderId: string } | { path: string };

/** A folder that a request names. */
export interface FoundFolder {
  readonly key: TreeKey;
  readonly path: string;
}

/** The bucket's folder of that name; none where there is no such folder. */
export async function findFolder(
  run: Run,
  bucketId: string,
  name: FolderName,
): Promise<FoundFolder | undefined> {
  const rows = await run<{ tree_key: TreeKey; path: string }>(sql`
    select tree_key, path from uploads.folders
    where bucket_id = ${bucketId} and ${isNamed(name)}`);
  return rows[0] && { key: rows[0].tree_key, path: rows[0].path };
}

function isNamed(name: FolderName): Sql {
  if ("folderId" in name) return sql`folder_id = ${name.folderId}`;
  return sql`tree_key = ${treeKey(name.path)}`;
}
