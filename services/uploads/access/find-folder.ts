import sql, { type Sql } from "sql-template-tag";
import { type TreeKey, treeKey } from "../model/tree-key.ts";
import type { Run } from "../postgres/database.ts";

/** How a request names a folder. */
export type FolderName = { folderId: string } | { path: string };

/** The key of the bucket's folder of that name; none where there is no such folder. */
export async function findFolder(
  run: Run,
  bucketId: string,
  name: FolderName,
): Promise<TreeKey | undefined> {
  const rows = await run<{ tree_key: TreeKey }>(sql`
    select tree_key from uploads.folders
    where bucket_id = ${bucketId} and ${isNamed(name)}`);
  return rows[0]?.tree_key;
}

function isNamed(name: FolderName): Sql {
  if ("folderId" in name) return sql`folder_id = ${name.folderId}`;
  return sql`tree_key = ${treeKey(name.path)}`;
}
