/**
 * An import:
 *
 *   input               ndjson/ reads lines; ../sources/ lists directories, stores and reports
 *     → records         records/ checks and completes each one
 *     → staging tables  merge/ copies the records to temporary tables
 *     → the index       merge/ merges these into the real tables in one transaction,
 *                       and adds the names to the skip index
 */
import type pg from "pg";
import { maintainIndexes } from "./merge/maintain-indexes.ts";
import { type MergeOptions, type MergeResult, mergeStaged } from "./merge/merge-staged.ts";
import { fillStagingTables } from "./merge/stage-records.ts";
import { createStagingTables } from "./merge/staging-tables.ts";
import type { ImportRecord } from "./records/record.ts";

interface ImportOptions extends MergeOptions {
  /**
   * Called when all records are read, before anything is written to the index. If it throws,
   * nothing is written.
   */
  readonly beforeMerge?: () => void | Promise<void>;
}

/** What an import did. */
export interface ImportResult extends MergeResult {
  /** Why the skip index could not be rebuilt; the next import tries again. */
  readonly skipIndexError?: unknown;
}

/** Writes all records of an input to the index, or none of them. Then maintains its indexes. */
export async function runImport(
  client: pg.ClientBase,
  records: AsyncIterable<readonly ImportRecord[]>,
  { beforeMerge, ...options }: ImportOptions,
): Promise<ImportResult> {
  await createStagingTables(client);
  await fillStagingTables(client, records);
  await beforeMerge?.();
  const result = await mergeStaged(client, options);
  const { folders, uploads, deleted } = result;
  const written = folders.new + folders.changed + uploads.new + uploads.changed;
  const rows = written + deleted.folders + deleted.uploads;
  const skipIndexError = await maintainIndexes(client, result.bucketIds, rows);
  return skipIndexError === undefined ? result : { ...result, skipIndexError };
}
