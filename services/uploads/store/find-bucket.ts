import sql, { type Sql } from "sql-template-tag";
import type { Run } from "./database.ts";

/** How a request names a bucket. */
export type BucketName = { bucketId: string } | { hostname: string } | "primary";

/** The ID of the organisation's bucket of that name; none where it has no such bucket. */
export async function findBucket(
  run: Run,
  organisationId: string,
  name: BucketName,
): Promise<string | undefined> {
  const rows = await run<{ bucket_id: string }>(sql`
    select bucket_id from uploads.buckets
    where organisation_id = ${organisationId} and ${isNamed(name)}`);
  return rows[0]?.bucket_id;
}

function isNamed(name: BucketName): Sql {
  if (name === "primary") return sql`is_primary`;
  if ("bucketId" in name) return sql`bucket_id = ${name.bucketId}`;
  return sql`hostname = ${name.hostname.toLowerCase()}`;
}
