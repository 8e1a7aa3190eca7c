/**
 * An import:
 *
 *   source              directory/ walks a directory, ndjson/ reads lines
 *     → records         records/ checks and completes each one
 *     → staging tables  merge/ copies the records to temporary tables
 *     → the index       merge/ merges these into the real tables in one transaction,
 *                       and skip-index/ adds the names to the skip index
 */
import type pg from "pg";
import { type ImportResult, type MergeOptions, mergeStaged } from "./merge/merge-staged.ts";
import { stageRecords } from "./merge/stage-records.ts";
import type { ImportRecord } from "./records/record.ts";

interface ImportOptions extends MergeOptions {
  /**
   * Called when all records are read and nothing is written to the index yet. If it throws, nothing
   * is written.
   */
  readonly beforeMerge: () => void;
}

/** Brings all records of a source into the index, or none of them. */
export async function runImport(
  client: pg.ClientBase,
  records: AsyncIterable<readonly ImportRecord[]>,
  { beforeMerge, ...options }: ImportOptions,
): Promise<ImportResult> {
  await stageRecords(client, records);
  beforeMerge();
  return await mergeStaged(client, options);
}
