import type pg from "pg";

interface KnownBucket {
  readonly bucketId: string;
  readonly organisationId: string;
  readonly isPrimary: boolean;
}

/** The bucket with that host name, which must be in lower case. */
export async function findBucketByHostname(
  client: pg.ClientBase,
  hostname: string,
): Promise<KnownBucket | undefined> {
  const { rows } = await client.query<KnownBucket>(
    `select bucket_id as "bucketId", organisation_id as "organisationId", is_primary as "isPrimary"
     from uploads.buckets where hostname = $1`,
    [hostname],
  );
  return rows[0];
}
