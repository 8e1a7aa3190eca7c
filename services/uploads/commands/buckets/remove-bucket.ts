import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";

/**
 * Deletes a bucket with everything in it, in one transaction. Imports into it wait meanwhile.
 * Returns how many uploads it had.
 *
 * @throws Error if there is no such bucket, it has sources, or it has uploads and may not.
 */
export async function removeBucket(
  client: pg.ClientBase,
  hostname: string,
  { evenIfFull }: { evenIfFull: boolean },
): Promise<number> {
  return await inTransaction(client, async () => {
    const cannot = (reason: string) => new Error(`Cannot remove bucket ${hostname}: ${reason}`);
    const { rows } = await query<{ bucketId: string; bucketNumber: number }>(
      client,
      `select bucket_id as "bucketId", bucket_number as "bucketNumber" from uploads.buckets
      where hostname = :hostname for update`,
      { hostname },
    );
    const [bucket] = rows;
    if (bucket === undefined) throw cannot("there is no bucket with that host name");
    const sources = await query<{ name: string }>(
      client,
      "select name from uploads.sources where bucket_id = :bucketId order by name",
      bucket,
    );
    const names = sources.rows.map(({ name }) => name).join(", ");
    if (names !== "") throw cannot(`it has sources; remove them first: ${names}`);
    const uploads = "uploads.uploads where bucket_number = :bucketNumber";
    if (!evenIfFull) {
      const { rowCount } = await query(client, `select from ${uploads} limit 1`, bucket);
      if (rowCount !== 0) throw cannot("it has uploads; add --yes to delete them");
    }
    const { rowCount } = await query(client, `delete from ${uploads}`, bucket);
    for (const [table, ofBucket] of tables) {
      await query(client, `delete from uploads.${table} where ${ofBucket}`, bucket);
    }
    return rowCount ?? 0;
  });
}

/** Everything with a bucket, except uploads. Each is only referenced by tables before it. */
const tables = [
  ["skip_index_buckets", "bucket_number = :bucketNumber"],
  ["ghosts", "bucket_number = :bucketNumber"],
  ["deleted_uploads", "bucket_number = :bucketNumber"],
  ["folders", "bucket_number = :bucketNumber"],
  ["integrations", "bucket_number = :bucketNumber"],
  ["bucket_sizes", "bucket_id = :bucketId"],
  ["access_versions", "bucket_id = :bucketId"],
  ["buckets", "bucket_id = :bucketId"],
] as const;
