import { countedUploads, totalsOfFolders } from "../import/merge/folder-totals.ts";
import type { RunQuery } from "../postgres/statements.ts";

/** A folder whose stored totals are wrong. Missing totals are zero. */
export interface WrongTotals {
  readonly bucketId: string;
  readonly path: string;
  readonly stored: TotalsText;
  readonly counted: TotalsText;
}

/** Number and bytes, directly inside and in the subtree. */
type TotalsText = readonly [string, string, string, string];

/**
 * Counts all uploads, in one snapshot for each bucket.
 *
 * @param countMax the most that are found in each bucket: all of a large one may be wrong.
 */
export async function* wrongTotals(run: RunQuery, countMax: number): AsyncGenerator<WrongTotals> {
  const buckets = await run<{ bucket_id: string }>(
    "select bucket_id from uploads.buckets order by bucket_id",
  );
  for (const { bucket_id: bucketId } of buckets) {
    yield* await run<WrongTotals>(wrongIn(bucketId, countMax));
  }
}

const columns = ["uploads", "size_bytes", "subtree_uploads", "subtree_size_bytes"];

/** @param bucketId a UUID of the database. */
function wrongIn(bucketId: string, countMax: number): string {
  const totals = (table: string) =>
    `array[${columns.map((column) => `coalesce(${table}.${column}, 0)::text`).join(", ")}]`;
  const bucket = `'${bucketId}'::uuid`;
  return `
    select bucket_id as "bucketId", coalesce(f.path, tree_key) as path,
      ${totals("stored")} as stored, ${totals("counted")} as counted
    from (select * from uploads.folder_totals where bucket_id = ${bucket}) stored
    full join (${totalsOfFolders(countedUploads(bucket))}) counted using (bucket_id, tree_key)
    left join uploads.folders f using (bucket_id, tree_key)
    where ${totals("stored")} <> ${totals("counted")}
      or stored.subtree_uploads = 0
    order by tree_key limit ${countMax}`;
}
