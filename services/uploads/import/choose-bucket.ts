import { randomUUID } from "node:crypto";
import type pg from "pg";
import { madeBucketId } from "../model/deterministic-ids.ts";
import { bucketExists } from "./bucket-exists.ts";
import { findBucketByHostname } from "./find-bucket-by-hostname.ts";
import type { BucketRecord } from "./records.ts";

/** The bucket to import into. */
export interface ChosenBucket {
  readonly bucketId: string;
  /** What is to be written of the bucket itself, where that is not known yet. */
  readonly record: BucketRecord | undefined;
}

/**
 * The bucket that the command line names; a new one where its organisation is named as well.
 *
 * @throws Error when there is no such bucket and no organisation, or it is another organisation's.
 */
export async function chooseBucket(
  client: pg.ClientBase,
  directory: string,
  options: { bucket: string; organisation?: string; primary?: true },
): Promise<ChosenBucket> {
  const { bucket: hostname, organisation, primary } = options;
  const known = await findBucketByHostname(client, hostname);
  if (known === undefined) {
    if (organisation === undefined) {
      throw new Error(
        `Cannot import ${directory}: no bucket has the host name ${hostname}; name one that is ` +
          "known, or add --organisation ID to make it",
      );
    }
    const record: BucketRecord = {
      kind: "bucket",
      line: 0,
      bucketId: await newBucketId(client, hostname),
      hostname,
      organisationId: organisation,
      isPrimary: primary,
    };
    return { bucketId: record.bucketId, record };
  }
  const { bucketId, organisationId, isPrimary } = known;
  if (organisation !== undefined && organisation !== organisationId) {
    throw new Error(
      `Cannot import ${directory}: bucket ${hostname} belongs to organisation ${organisationId}, ` +
        `not to ${organisation}`,
    );
  }
  if (primary === undefined || isPrimary) return { bucketId, record: undefined };
  const record = { kind: "bucket", line: 0, bucketId, hostname, organisationId, isPrimary: true };
  return { bucketId, record: record as BucketRecord };
}

async function newBucketId(client: pg.ClientBase, hostname: string): Promise<string> {
  const bucketId = madeBucketId(hostname);
  // A bucket that was once made for this name may have another name now.
  return (await bucketExists(client, bucketId)) ? randomUUID() : bucketId;
}
