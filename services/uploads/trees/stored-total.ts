import sql from "sql-template-tag";
import { intersectRanges } from "../model/key-range.ts";
import type { Run } from "../postgres/database.ts";
import type { TreeScope } from "./tree-statement.ts";

/**
 * The bytes of all uploads in and under the top folder, from the totals that imports keep.
 * Undefined when the totals have to be counted: something there may be hidden from the caller, or
 * the bucket has uploads that its totals do not have, of an import of an earlier version.
 */
export async function storedTotal(
  run: Run,
  { bucketId, visibility, subtree }: TreeScope,
): Promise<bigint | undefined> {
  if (visibility.hidesUploads) return undefined;
  const [range] = intersectRanges(visibility.ranges, subtree);
  if (range?.from !== subtree.from || range.to !== subtree.to) return undefined;
  const [stored] = await run<{ bytes: string | null }>(sql`
    select coalesce(top.subtree_size_bytes, 0) as bytes
    from uploads.bucket_sizes s
    left join uploads.folder_totals root on root.bucket_id = ${bucketId} and root.tree_key = ''
    left join uploads.folder_totals top
      on top.bucket_id = ${bucketId} and top.tree_key = ${subtree.from}
    where s.bucket_id = ${bucketId} and s.uploads = coalesce(root.subtree_uploads, 0)`);
  return stored?.bytes == null ? undefined : BigInt(stored.bytes);
}
