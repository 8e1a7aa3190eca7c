/** The bucket of the index that a command names. */
import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import type pg from "pg";
import type { BucketRecord } from "../import/records/record.ts";
import { deterministicBucketId } from "../model/deterministic-ids.ts";
import { query } from "../postgres/named-parameters.ts";
import { parseHostname, parseOrganisationId } from "./arguments.ts";
import { findBucketByHostname } from "./find-bucket.ts";

export interface BucketOptions {
  readonly bucket: string;
  readonly organisation?: string;
  readonly primary?: true;
}

export function addBucketOptions(command: Command): Command {
  return command
    .requiredOption("--bucket <host>", "bucket of the index, by host name", parseHostname)
    .option(
      "--organisation <id>",
      "organisation of the bucket; creates the bucket if it does not exist",
      parseOrganisationId,
    )
    .option(
      "--primary",
      "make the bucket its organisation's primary one; the first bucket always is",
    );
}

interface NamedBucket {
  readonly bucketId: string;
  /** Undefined if the bucket exists and does not change. */
  readonly record: BucketRecord | undefined;
}

/**
 * Finds the bucket that the command line names, or makes it if its organisation is given.
 *
 * @throws Error if there is no such bucket and no organisation, or it is another organisation's.
 */
export async function findOrMakeBucket(
  client: pg.ClientBase,
  { bucket: hostname, organisation, primary }: BucketOptions,
): Promise<NamedBucket> {
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
  const names = { bucketId, hostname, organisationId };
  return { bucketId, record: { kind: "bucket", line: 0, ...names, isPrimary: true } };
}

async function newBucketId(client: pg.ClientBase, hostname: string): Promise<string> {
  const bucketId = deterministicBucketId(hostname);
  // The bucket that was made for this name may have another name now.
  const select = "select from uploads.buckets where bucket_id = :bucketId";
  const found = await query(client, select, { bucketId });
  return found.rowCount === 0 ? bucketId : randomUUID();
}
