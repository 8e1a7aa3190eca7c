import { randomUUID } from "node:crypto";
import type pg from "pg";
import { findBucketByHostname } from "../../import/command.ts";
import type { BucketRecord } from "../../import/records/record.ts";
import { deterministicBucketId } from "../../model/deterministic-ids.ts";

interface ChosenBucket {
  readonly bucketId: string;
  /** Undefined if the bucket exists and does not change. */
  readonly record: BucketRecord | undefined;
}

/**
 * Finds the bucket that the command line names, or makes it if its organisation is given.
 *
 * @throws Error if there is no such bucket and no organisation, or it is another organisation's.
 */
export async function chooseBucket(
  client: pg.ClientBase,
  options: { bucket: string; organisation?: string; primary?: true },
): Promise<ChosenBucket> {
  const { bucket: hostname, organisation, primary } = options;
  const known = await findBucketByHostname(client, hostname);
  if (known === undefined) {
    if (organisation === undefined) {
      throw new Error(
        `Cannot use bucket ${hostname}: no bucket has this host name; name one that is known, ` +
          "or add --organisation ID to make it",
      );
    }
    const record: BucketRecord = {
      kind: "bucket",
      line: 0,
      bucketId: await newBucketId(client, hostname),
      hostname,
      organisationId: organisation,
      isPrimary: primary ?? "if none",
    };
    return { bucketId: record.bucketId, record };
  }
  const { bucketId, organisationId, isPrimary } = known;
  if (organisation !== undefined && organisation !== organisationId) {
    throw new Error(
      `Cannot use bucket ${hostname}: it belongs to organisation ${organisationId}, ` +
        `not to ${organisation}`,
    );
  }
  if (primary === undefined || isPrimary) return { bucketId, record: undefined };
  const record = { kind: "bucket", line: 0, bucketId, hostname, organisationId, isPrimary: true };
  return { bucketId, record: record as BucketRecord };
}

async function newBucketId(client: pg.ClientBase, hostname: string): Promise<string> {
  const bucketId = deterministicBucketId(hostname);
  // The bucket that was made for this name may have another name now.
  const found = await client.query("select from uploads.buckets where bucket_id = $1", [bucketId]);
  return found.rowCount === 0 ? bucketId : randomUUID();
}
