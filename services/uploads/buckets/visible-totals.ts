/** How many uploads of a bucket a caller sees, and how many bytes they have. */
import type { OpenBucket } from "../access/open-bucket.ts";
import { isInRanges, isShownTo, visibilityParameters } from "../access/visibility.ts";
import { ApiError } from "../model/api-error.ts";
import { subtreeRange, type TreeKeyRange } from "../model/tree-key-range.ts";
import type { RunQuery } from "../postgres/statements.ts";

interface VisibleTotal {
  readonly uploadCount: bigint;
  readonly sizeBytes: bigint;
}

/**
 * Reads stored totals and subtracts the hidden uploads, which are few. Throws `ApiError`
 * ROLLUP_TOO_LARGE for sums beyond the contract's integers.
 */
export async function visibleTotal(
  run: RunQuery,
  bucket: OpenBucket & { readonly hostname: string },
): Promise<VisibleTotal> {
  const { bucketId, visibility } = bucket;
  const { ranges } = visibility;
  if (ranges.length === 0) return { uploadCount: 0n, sizeBytes: 0n };
  const [total] = await run<{ uploads: string; bytes: string }>(
    `select stored.uploads - hidden.uploads as uploads, stored.bytes - hidden.bytes as bytes
    from (${storedTotals}) stored, (
      select count(*) as uploads, coalesce(sum(u.size_bytes), 0) as bytes from uploads.uploads u
      where u.bucket_id = :bucketId and ${isInRanges("u.folder_key")}
        and u.integration_hidden and not ${isShownTo(visibility)}) hidden`,
    { bucketId, ...visibilityParameters(visibility), ...storedParameters(ranges) },
  );
  const sizeBytes = BigInt(total?.bytes ?? 0);
  if (sizeBytes > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ApiError(
      "ROLLUP_TOO_LARGE",
      `the uploads of the bucket ${bucket.hostname} have over 2^53-1 bytes; ` +
        "correct their sizes, or move some to another bucket",
    );
  }
  return { uploadCount: BigInt(total?.uploads ?? 0), sizeBytes };
}

/** The total of a whole subtree is in one row. Other ranges have a row for each folder. */
const storedTotals = `
  select coalesce(sum(uploads), 0) as uploads, coalesce(sum(bytes), 0) as bytes from (
    select subtree_uploads as uploads, subtree_size_bytes as bytes from uploads.folder_totals
    where bucket_id = :bucketId and tree_key = any(:subtrees)
    union all
    select uploads, size_bytes
    from unnest(:otherStarts::text[], :otherEnds::text[]) as r (lower, upper)
    join uploads.folder_totals
      on bucket_id = :bucketId and tree_key >= r.lower and tree_key < r.upper) parts`;

function storedParameters(ranges: readonly TreeKeyRange[]) {
  const isSubtree = ({ from, to }: TreeKeyRange) => subtreeRange(from).to === to;
  const others = ranges.filter((range) => !isSubtree(range));
  return {
    subtrees: ranges.filter(isSubtree).map(({ from }) => from),
    otherStarts: others.map(({ from }) => from),
    otherEnds: others.map(({ to }) => to),
  };
}
