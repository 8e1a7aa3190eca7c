/** How many uploads of buckets a caller sees, and how many bytes they have. */
import type { OpenBucket } from "../access/open-bucket.ts";
import { subtreeRange, type TreeKeyRange } from "../model/tree-key-range.ts";
import type { RunQuery } from "../postgres/statements.ts";

interface VisibleTotal {
  readonly uploadCount: bigint;
  readonly sizeBytes: bigint;
}

/**
 * The total of each bucket of which the client sees something. Reads stored totals and subtracts
 * the hidden uploads, which are few.
 */
export async function visibleTotals(
  run: RunQuery,
  buckets: readonly OpenBucket[],
  clientId: string,
): Promise<ReadonlyMap<string, VisibleTotal>> {
  const ranges = buckets.flatMap(({ bucketId, visibility }) =>
    visibility.ranges.map((range) => ({ bucketId, ...range })),
  );
  const rows = await run<{ bucket_id: string; uploads: string; bytes: string }>(totals, {
    clientId,
    bucketIds: ranges.map(({ bucketId }) => bucketId),
    starts: ranges.map(({ from }) => from),
    ends: ranges.map(({ to }) => to),
    areSubtrees: ranges.map(isSubtree),
  });
  return new Map(
    rows.map(({ bucket_id: bucketId, uploads, bytes }) => [
      bucketId,
      { uploadCount: BigInt(uploads), sizeBytes: BigInt(bytes) },
    ]),
  );
}

const isSubtree = ({ from, to }: TreeKeyRange) => subtreeRange(from).to === to;

// The total of a whole subtree is in one row. Other ranges have a row for each folder.
const totals = `
  select r.bucket_id, sum(part.uploads) as uploads, sum(part.bytes) as bytes
  from unnest(:bucketIds::uuid[], :starts::text[], :ends::text[], :areSubtrees::boolean[])
    as r (bucket_id, lower, upper, is_subtree)
  cross join lateral (
    select 0 as uploads, 0 as bytes
    union all
    select subtree_uploads, subtree_size_bytes from uploads.folder_totals
    where r.is_subtree and bucket_id = r.bucket_id and tree_key = r.lower
    union all
    select uploads, size_bytes from uploads.folder_totals
    where not r.is_subtree
      and bucket_id = r.bucket_id and tree_key >= r.lower and tree_key < r.upper
    union all
    select -1, -u.size_bytes from uploads.uploads u
    where u.integration_hidden
      and u.bucket_id = r.bucket_id and u.folder_key >= r.lower and u.folder_key < r.upper
      and not exists (
        select from uploads.integrations own
        where own.bucket_id = u.bucket_id and own.integration_id = u.integration_id
          and own.oauth_client_id = :clientId)) part
  group by r.bucket_id`;
