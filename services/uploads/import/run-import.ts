import type pg from "pg";
import { type ImportResult, mergeStaged } from "./merge-staged.ts";
import type { UploadReplacement } from "./merge-uploads.ts";
import type { ImportRecord } from "./records.ts";
import { createRecordStager } from "./stage-records.ts";
import { createStagingTables } from "./staging-tables.ts";

export interface ImportOptions {
  /** Which columns of a known upload are replaced. */
  readonly replacement: UploadReplacement;
  /** Called when all records are read and nothing is kept yet: throws to leave it at that. */
  readonly beforeMerge: () => void;
}

/** Brings the records of a source into the index: all of them, or none. */
export async function runImport(
  client: pg.ClientBase,
  records: AsyncIterable<readonly ImportRecord[]>,
  { replacement, beforeMerge }: ImportOptions,
): Promise<ImportResult> {
  await createStagingTables(client);
  const stager = createRecordStager(client);
  for await (const batch of records) {
    for (const record of batch) stager.add(record);
    await stager.settle();
  }
  await stager.finish();
  beforeMerge();
  return await mergeStaged(client, replacement);
}
