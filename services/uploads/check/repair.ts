/** Derives wrong data again. Imports into a bucket wait while it is repaired. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { rebuildTotals } from "../import/merge/folder-totals.ts";
import { lockBucket } from "../import/merge/merge-buckets.ts";
import { runOn } from "../import/merge/statements.ts";
import { query } from "../postgres/named-parameters.ts";
import { buildSkipIndex } from "../skip-index/write-skip-index.ts";
import type { CheckedBucket } from "./check-bucket.ts";
import { type Wrong, wrongBuckets } from "./find-wrong.ts";

/** Corrects what is wrong, each bucket in a transaction. */
export async function repairBuckets(client: pg.ClientBase, wrong: Wrong): Promise<void> {
  for (const bucket of wrongBuckets(wrong)) {
    await inTransaction(client, async () => {
      const { rowCount } = await query(client, lockBucket, { ...bucket });
      // It may have been removed since it was checked.
      if (rowCount === 0) return;
      await query(client, countSizes, { ...bucket });
      const arePlacesWrong = wrong.get("positions")?.has(bucket) === true;
      if (arePlacesWrong) await rebuildPositions(client, bucket);
      if (arePlacesWrong || wrong.get("totals")?.has(bucket)) {
        await rebuildTotals(client, String(bucket.bucketNumber));
      }
      if (wrong.get("skip indexes")?.has(bucket)) await rebuildSkipIndex(client, bucket);
    });
  }
}

const countSizes = `
  insert into uploads.bucket_sizes (bucket_id, folders, uploads)
  values (:bucketId,
    (select count(*) from uploads.folders f where f.bucket_number = :bucketNumber),
    (select count(*) from uploads.uploads u where u.bucket_number = :bucketNumber))
  on conflict (bucket_id) do update set folders = excluded.folders, uploads = excluded.uploads`;

async function rebuildPositions(
  client: pg.ClientBase,
  { bucketNumber }: CheckedBucket,
): Promise<void> {
  await query(client, placeFolders, { bucketNumber });
  await query(client, placeUploads, { bucketNumber });
}

// As far from each other as there is space, for new folders.
const placeFolders = `
  update uploads.folders f set tree_position = p.place * ((1::bigint << 62) / (p.folders + 1))
  from (
    select folder_id, row_number() over (order by tree_key) as place, count(*) over () as folders
    from uploads.folders where bucket_number = :bucketNumber) p
  where f.bucket_number = :bucketNumber and f.folder_id = p.folder_id`;

const placeUploads = `
  update uploads.uploads u set tree_position = f.tree_position
  from uploads.folders f
  where f.bucket_number = :bucketNumber and f.tree_key = uploads.tree_key(u.path)
    and u.bucket_number = :bucketNumber and u.tree_position <> f.tree_position`;

async function rebuildSkipIndex(
  client: pg.ClientBase,
  { bucketNumber }: CheckedBucket,
): Promise<void> {
  const { rows } = await query<{ count: string }>(
    client,
    "select count(*) from uploads.uploads where bucket_number = :bucketNumber",
    { bucketNumber },
  );
  await buildSkipIndex(runOn(client), bucketNumber, Number(rows[0]?.count));
}
