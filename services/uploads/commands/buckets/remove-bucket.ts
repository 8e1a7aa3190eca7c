import { inTransaction } from "@stowage/process";
import type pg from "pg";

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
    const reject = (reason: string) => {
      throw new Error(`Cannot remove bucket ${hostname}: ${reason}`);
    };
    const { rows } = await client.query<{ bucket_id: string }>(
      "select bucket_id from uploads.buckets where hostname = $1 for update",
      [hostname],
    );
    const bucketId = rows[0]?.bucket_id;
    if (bucketId === undefined) reject("there is no bucket with that host name");
    const sources = await client.query<{ name: string }>(
      "select name from uploads.sources where bucket_id = $1 order by name",
      [bucketId],
    );
    const names = sources.rows.map(({ name }) => name).join(", ");
    if (names !== "") reject(`it has sources; remove them first: ${names}`);
    const uploads = "uploads.uploads where bucket_id = $1";
    if (!evenIfFull) {
      const { rowCount } = await client.query(`select from ${uploads} limit 1`, [bucketId]);
      if (rowCount !== 0) reject("it has uploads; add --yes to delete them");
    }
    const { rowCount } = await client.query(`delete from ${uploads}`, [bucketId]);
    for (const table of tables) {
      await client.query(`delete from uploads.${table} where bucket_id = $1`, [bucketId]);
    }
    return rowCount ?? 0;
  });
}

/** Everything with a bucket, except uploads. Each is only referenced by tables before it. */
const tables = [
  "skip_index_buckets",
  "folder_totals",
  "bucket_sizes",
  "access_versions",
  "folders",
  "integrations",
  "buckets",
];
