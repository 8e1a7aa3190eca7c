/** What commands share that import, or name a bucket of the index. */
import { InvalidArgumentError } from "commander";
import type pg from "pg";
import { withPool } from "../commands/open-database.ts";
import type { CommandContext } from "../commands/program.ts";
import { normalisePath, PathError } from "../model/path.ts";
import { onOneConnection } from "../postgres/one-connection.ts";
import { whileCleaningTerms } from "./merge/clean-terms.ts";
import { createProgress, type FirstStep, type Progress } from "./progress.ts";
import { checkHostname, checkOrganisationId } from "./records/check-record.ts";

/** Parses a host name from the command line; returns it in lower case. */
export function parseHostname(text: string): string {
  return checkHostname(text, "the host name", rejectArgument);
}

/** Parses the path of a folder from the command line; returns it in normal form. */
export function parsePath(text: string): string {
  try {
    return normalisePath(text);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw new InvalidArgumentError(`The path ${error.message}.`);
  }
}

export function parseOrganisationId(text: string): string {
  return checkOrganisationId(text, "the identifier", rejectArgument);
}

/** Reports a wrong argument. */
function rejectArgument(_field: string, got: string, need: string): never {
  throw new InvalidArgumentError(`Got ${got}, need ${need}.`);
}

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

/**
 * Runs an import on one connection, while another one keeps the index of terms fast, and shows its
 * progress. When the signal aborts, what is not committed is undone, and the signal's reason is
 * thrown. If the import is already committed and only its skip index is being rebuilt, it ends
 * normally, with a `skipIndexError`.
 */
export function withImport(
  context: CommandContext,
  step: FirstStep,
  work: (client: pg.ClientBase, progress: Progress) => Promise<void>,
): Promise<void> {
  const workOn = async (client: pg.ClientBase) => {
    const progress = createProgress(process.stderr, step);
    try {
      await work(client, progress);
    } finally {
      progress.stop();
    }
  };
  return withPool(context, 2, (pool) =>
    whileCleaningTerms(pool, () => onOneConnection(pool, context.signal, workOn)),
  );
}
