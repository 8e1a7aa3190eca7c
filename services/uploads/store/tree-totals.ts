import sql from "sql-template-tag";
import type { Totals } from "../domain/folder-tree.ts";
import { clipRanges } from "../domain/key-range.ts";
import type { TreeKey } from "../domain/tree-key.ts";
import type { Run } from "./database.ts";
import type { TreeScope } from "./tree-folders.ts";
import { inRanges, uploadIsShown } from "./view-conditions.ts";

/** Number and bytes of the uploads that the caller may see, by the folder directly holding them. */
export async function treeTotals(
  run: Run,
  { bucketId, view, subtree }: TreeScope,
): Promise<Map<TreeKey, Totals>> {
  const ranges = clipRanges(view.ranges, subtree);
  if (ranges.length === 0) return new Map();
  const rows = await run<{ folder_key: TreeKey; upload_count: string; size_bytes: string }>(sql`
    select u.folder_key, count(*) as upload_count, sum(u.size_bytes) as size_bytes
    from uploads.uploads u
    where u.bucket_id = ${bucketId} and ${inRanges(sql`u.folder_key`, ranges)}
      and ${uploadIsShown(view.clientId)}
    group by u.folder_key`);
  return new Map(
    rows.map((row) => [
      row.folder_key,
      { uploadCount: BigInt(row.upload_count), sizeBytes: BigInt(row.size_bytes) },
    ]),
  );
}
