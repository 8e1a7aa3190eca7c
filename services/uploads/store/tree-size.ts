import sql from "sql-template-tag";
import { clipRanges } from "../domain/key-range.ts";
import type { Run } from "./database.ts";
import type { TreeScope } from "./tree-statement.ts";
import { inRanges, uploadIsShown } from "./view-conditions.ts";

/**
 * How many folders there are from the top one down and, with `includeUploads`, uploads in them,
 * whatever the caller may see and the filters let through. Counts either up to `limit` only.
 */
export async function countSubtree(
  run: Run,
  { bucketId, subtree }: TreeScope,
  includeUploads: boolean,
  limit: number,
): Promise<number> {
  const [counted] = await run<{ folders: string; uploads: string }>(sql`
    select (select count(*) from (
      select from uploads.folders
      where bucket_id = ${bucketId} and tree_key >= ${subtree.from} and tree_key < ${subtree.to}
      limit ${limit}) counted) as folders,
    (select count(*) from (
      select from uploads.uploads
      where bucket_id = ${bucketId}
        and folder_key >= ${subtree.from} and folder_key < ${subtree.to}
      limit ${includeUploads ? limit : 0}) counted) as uploads`);
  return Number(counted?.folders) + Number(counted?.uploads);
}

/** Number and bytes of all uploads in the top folder and under it that the caller may see. */
export async function totalOfSubtree(
  run: Run,
  { bucketId, view, subtree }: TreeScope,
): Promise<{ uploadCount: bigint; sizeBytes: bigint }> {
  const ranges = clipRanges(view.ranges, subtree);
  if (ranges.length === 0) return { uploadCount: 0n, sizeBytes: 0n };
  const [total] = await run<{ upload_count: string; size_bytes: string }>(sql`
    select count(*) as upload_count, coalesce(sum(u.size_bytes), 0) as size_bytes
    from uploads.uploads u
    where u.bucket_id = ${bucketId} and ${inRanges(sql`u.folder_key`, ranges)}
      and ${uploadIsShown(view.clientId)}`);
  return {
    uploadCount: BigInt(total?.upload_count ?? 0),
    sizeBytes: BigInt(total?.size_bytes ?? 0),
  };
}
