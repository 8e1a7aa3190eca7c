/** Upkeep of the indexes and of the planner's statistics, after rows were written. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { rebuildOutgrownSkipIndexes } from "../../skip-index/write-skip-index.ts";
import { cleanTerms } from "./clean-terms.ts";
import { runOn } from "./statements.ts";

/**
 * Makes searches and scans of these buckets fast again, after one merge or several. Returns why the
 * skip index could not be rebuilt; the next call tries again. Other errors are ignored, because
 * autovacuum does the same work later.
 *
 * @param rowsWritten folders and uploads that the merges wrote and deleted.
 */
export async function maintainIndexes(
  client: pg.ClientBase,
  bucketIds: readonly string[],
  rowsWritten: number,
): Promise<unknown> {
  const upkeep = rowsWritten > vacuumFromRows ? [cleanTerms, analyze, vacuum] : [cleanTerms];
  for (const statement of upkeep) await client.query(statement).catch(() => undefined);
  try {
    await inTransaction(client, () => rebuildOutgrownSkipIndexes(runOn(client), bucketIds));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** From this many written rows, ANALYZE and VACUUM pay for themselves. */
const vacuumFromRows = 1000;

const writtenTables = "uploads.folders, uploads.uploads";

// Runs before the vacuum, which takes longer: until then, the planner may know nothing of a new
// bucket. `skip_locked`: do not wait for another import that is doing the same.
const analyze = `analyze (skip_locked) ${writtenTables}`;

// Marks pages as all-visible: until then, index-only scans also read the new rows.
const vacuum = `vacuum (skip_locked, index_cleanup off, truncate off) ${writtenTables}`;
