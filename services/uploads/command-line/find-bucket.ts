import type pg from "pg";
import { query } from "../postgres/named-parameters.ts";

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
  const { rows } = await query<KnownBucket>(
    client,
    `select bucket_id as "bucketId", organisation_id as "organisationId", is_primary as "isPrimary"
     from uploads.buckets where hostname = :hostname`,
    { hostname },
  );
  return rows[0];
}
