/** How many uploads of a bucket a caller sees, and how many bytes they have. */
import sql, { type Sql } from "sql-template-tag";
import type { OpenBucket } from "../access/open-bucket.ts";
import { inRanges, uploadIsShown } from "../access/visibility.ts";
import { ApiError } from "../model/api-error.ts";
import { subtreeRange, type TreeKeyRange } from "../model/tree-key-range.ts";
import type { RunQuery } from "../postgres/statements.ts";

interface VisibleTotal {
  readonly uploadCount: bigint;
  readonly sizeBytes: bigint;
}

/**
 * Reads stored totals, less the hidden uploads, which are few. Throws `ApiError` ROLLUP_TOO_LARGE
 * for sums beyond the contract's integers.
 */
export async function visibleTotal(run: RunQuery, bucket: OpenBucket): Promise<VisibleTotal> {
  const { bucketId, visibility } = bucket;
  const { ranges } = visibility;
  if (ranges.length === 0) return { uploadCount: 0n, sizeBytes: 0n };
  const [total] = await run<{ uploads: string; bytes: string }>(sql`
    select stored.uploads - hidden.uploads as uploads, stored.bytes - hidden.bytes as bytes
    from (${storedTotals(bucketId, ranges)}) stored, (
      select count(*) as uploads, coalesce(sum(u.size_bytes), 0) as bytes from uploads.uploads u
      where u.bucket_id = ${bucketId} and ${inRanges(sql`u.folder_key`, ranges)}
        and u.integration_hidden and not ${uploadIsShown(visibility, bucketId)}) hidden`);
  const sizeBytes = BigInt(total?.bytes ?? 0);
  if (sizeBytes > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ApiError("ROLLUP_TOO_LARGE", "the uploads of a bucket have over 2^53-1 bytes");
  }
  return { uploadCount: BigInt(total?.uploads ?? 0), sizeBytes };
}

/** A range that is a whole subtree has its total in one row, another one in a row per folder. */
function storedTotals(bucketId: string, ranges: readonly TreeKeyRange[]): Sql {
  const isSubtree = ({ from, to }: TreeKeyRange) => subtreeRange(from).to === to;
  const subtrees = ranges.filter(isSubtree).map(({ from }) => from);
  const others = ranges.filter((range) => !isSubtree(range));
  return sql`
    select coalesce(sum(uploads), 0) as uploads, coalesce(sum(bytes), 0) as bytes from (
      select subtree_uploads as uploads, subtree_size_bytes as bytes from uploads.folder_totals
      where bucket_id = ${bucketId} and tree_key = any(${subtrees})
      union all
      select uploads, size_bytes from uploads.folder_totals
      where bucket_id = ${bucketId} and ${inRanges(sql`tree_key`, others)}) parts`;
}
