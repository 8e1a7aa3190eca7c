import type pg from "pg";

/** Whether a bucket has that ID. */
export async function bucketExists(client: pg.ClientBase, bucketId: string): Promise<boolean> {
  const found = await client.query("select from uploads.buckets where bucket_id = $1", [bucketId]);
  return found.rowCount !== 0;
}
