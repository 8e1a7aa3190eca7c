import sql, { type Sql } from "sql-template-tag";
import { inRanges, uploadIsShown } from "../access/visibility-conditions.ts";
import { clipRanges } from "../model/key-range.ts";
import type { Run } from "../postgres/database.ts";
import { matchesMax } from "./tree-matches.ts";
import type { TreePlan, TreeScope } from "./tree-statement.ts";

/**
 * How many folders and, where they are included, uploads could be in a tree, whatever the caller
 * may see and the filters let through; the top folder counts too. Looks no further than `limit`.
 */
export async function countAtMost(run: Run, plan: TreePlan, limit: number): Promise<number> {
  const { leading, includeUploads } = plan;
  if (leading !== undefined) return leading.length + (includeUploads ? matchesMax : 0);
  const ofBucket = await countOfBucket(run, plan);
  return ofBucket !== undefined && ofBucket < limit ? ofBucket : countInIndexes(run, plan, limit);
}

/** None: it has not been kept. */
async function countOfBucket(
  run: Run,
  { bucketId, includeUploads }: TreePlan,
): Promise<number | undefined> {
  const [size] = await run<{ folders: string; uploads: string }>(
    sql`select folders, uploads from uploads.bucket_sizes where bucket_id = ${bucketId}`,
  );
  return size && Number(size.folders) + (includeUploads ? Number(size.uploads) : 0);
}

async function countInIndexes(run: Run, plan: TreePlan, limit: number): Promise<number> {
  const { bucketId, subtree, levels, includeUploads } = plan;
  const inSubtree = (key: Sql) =>
    sql`bucket_id = ${bucketId} and ${key} >= ${subtree.from} and ${key} < ${subtree.to}`;
  const isOnLevel = sql`uploads.tree_depth(tree_key) = any (${levels ?? []}::integer[])`;
  const folders = sql`uploads.folders
    where ${inSubtree(sql`tree_key`)} and ${levels === undefined ? sql`true` : isOnLevel}`;
  const uploads =
    levels === undefined
      ? sql`uploads.uploads where ${inSubtree(sql`folder_key`)}`
      : sql`(select tree_key from ${folders}) level
          join uploads.uploads on bucket_id = ${bucketId} and folder_key = tree_key`;
  const [counted] = await run<{ folders: string; uploads: string }>(sql`select
    (select count(*) from (select from ${folders} limit ${limit}) counted) as folders,
    (select count(*) from (select from ${uploads} limit ${includeUploads ? limit : 0}) counted)
      as uploads`);
  return Number(counted?.folders) + Number(counted?.uploads);
}

/** Of these the sizes are added up one by one. */
const largestMax = 1000;

/** Bytes that no set of uploads of the bucket exceeds; none where nobody kept count of them. */
export async function bytesAtMost(run: Run, { bucketId }: TreeScope): Promise<bigint | undefined> {
  const [bound] = await run<{ bytes: string }>(sql`
    select bytes + least * (uploads - counted) as bytes
    from uploads.bucket_sizes, (
      select count(*) as counted, coalesce(sum(size_bytes), 0) as bytes,
        coalesce(min(size_bytes), 0)::numeric as least
      from (
        select size_bytes from uploads.uploads where bucket_id = ${bucketId}
        order by size_bytes desc limit ${largestMax}) largest) largest
    where bucket_id = ${bucketId}`);
  return bound && BigInt(bound.bytes);
}

/** Bytes of all uploads in the top folder and under it that the caller may see. */
export async function bytesOfSubtree(
  run: Run,
  { bucketId, visibility, subtree }: TreeScope,
): Promise<bigint> {
  const ranges = clipRanges(visibility.ranges, subtree);
  if (ranges.length === 0) return 0n;
  const [total] = await run<{ size_bytes: string }>(sql`
    select coalesce(sum(u.size_bytes), 0) as size_bytes
    from uploads.uploads u
    where u.bucket_id = ${bucketId} and ${inRanges(sql`u.folder_key`, ranges)}
      and ${uploadIsShown(visibility, bucketId)}`);
  return BigInt(total?.size_bytes ?? 0);
}
