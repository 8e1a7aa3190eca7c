/** Derives wrong data again. Imports into a bucket wait while it is repaired. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { rebuildTotals } from "../import/merge/folder-totals.ts";
import { lockBucket } from "../import/merge/merge-buckets.ts";
import { runOn } from "../import/merge/statements.ts";
import { query } from "../postgres/named-parameters.ts";
import { buildSkipIndex } from "../skip-index/write-skip-index.ts";
import type { Wrong } from "./find-wrong.ts";

/** Corrects what is wrong, each bucket in a transaction. */
export async function repairBuckets(
  client: pg.ClientBase,
  { sizes, totals, skipIndexes }: Wrong,
): Promise<void> {
  for (const bucketId of new Set([...sizes, ...totals, ...skipIndexes])) {
    await inTransaction(client, async () => {
      const { rowCount } = await query(client, lockBucket, { bucketId });
      // It may have been removed since it was checked.
      if (rowCount === 0) return;
      await query(client, countSizes, { bucketId });
      if (totals.has(bucketId)) await rebuildTotals(client, `'${bucketId}'`);
      if (skipIndexes.has(bucketId)) await rebuildSkipIndex(client, bucketId);
    });
  }
}

const countSizes = `
  insert into uploads.bucket_sizes (bucket_id, folders, uploads)
  values (:bucketId, (select count(*) from uploads.folders f where f.bucket_id = :bucketId),
    (select count(*) from uploads.uploads u where u.bucket_id = :bucketId))
  on conflict (bucket_id) do update set folders = excluded.folders, uploads = excluded.uploads`;

async function rebuildSkipIndex(client: pg.ClientBase, bucketId: string): Promise<void> {
  const { rows } = await query<{ count: string }>(
    client,
    "select count(*) from uploads.uploads where bucket_id = :bucketId",
    { bucketId },
  );
  await buildSkipIndex(runOn(client), bucketId, Number(rows[0]?.count));
}
