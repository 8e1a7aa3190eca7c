/** How many uploads a caller sees in parts of buckets, and how many bytes they have. */
import { subtreeRange, type TreeKeyRange } from "../model/tree-key-range.ts";
import type { RunQuery } from "../postgres/statements.ts";

interface VisibleTotal {
  readonly uploadCount: bigint;
  readonly sizeBytes: bigint;
}

/** A part of a bucket. */
interface Part {
  readonly bucketNumber: number;
  /** Disjoint. */
  readonly ranges: readonly TreeKeyRange[];
}

/**
 * The total of each part, in their order. Reads stored totals and subtracts the hidden uploads,
 * which are few.
 */
export async function visibleTotals(
  run: RunQuery,
  parts: readonly Part[],
  clientId: string,
): Promise<VisibleTotal[]> {
  const ranges = parts.flatMap(({ bucketNumber, ranges }, part) =>
    ranges.map((range) => ({ part, bucketNumber, ...range })),
  );
  const rows = await run<{ part: number; uploads: string; bytes: string }>(totals, {
    clientId,
    parts: ranges.map(({ part }) => part),
    bucketNumbers: ranges.map(({ bucketNumber }) => bucketNumber),
    starts: ranges.map(({ from }) => from),
    ends: ranges.map(({ to }) => to),
    areSubtrees: ranges.map(isSubtree),
  });
  const all = parts.map(() => ({ uploadCount: 0n, sizeBytes: 0n }));
  for (const { part, uploads, bytes } of rows) {
    all[part] = { uploadCount: BigInt(uploads), sizeBytes: BigInt(bytes) };
  }
  return all;
}

const isSubtree = ({ from, to }: TreeKeyRange) => subtreeRange(from).to === to;

// The total of a whole subtree is in one row. Other ranges have a row for each folder.
const totals = `
  select r.part, sum(part.uploads) as uploads, sum(part.bytes) as bytes
  from unnest(:parts::integer[], :bucketNumbers::integer[], :starts::text[], :ends::text[],
    :areSubtrees::boolean[]) as r (part, bucket_number, lower, upper, is_subtree)
  cross join lateral (
    select 0 as uploads, 0 as bytes
    union all
    select f.subtree_uploads, f.subtree_size_bytes from uploads.folders f
    where r.is_subtree and f.bucket_number = r.bucket_number and f.tree_key = r.lower
    union all
    select f.uploads, f.size_bytes from uploads.folders f
    where not r.is_subtree
      and f.bucket_number = r.bucket_number and f.tree_key >= r.lower and f.tree_key < r.upper
    union all
    select -1, -u.size_bytes from uploads.uploads u
    join uploads.folders f
      on f.bucket_number = u.bucket_number and f.tree_position = u.tree_position
    where u.integration_hidden
      and u.bucket_number = r.bucket_number and f.tree_key >= r.lower and f.tree_key < r.upper
      and not exists (
        select from uploads.integrations own
        where own.bucket_number = u.bucket_number and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)) part
  group by r.part`;
