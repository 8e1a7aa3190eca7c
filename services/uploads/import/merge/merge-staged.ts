/** Merges the staging tables into the real tables, in one transaction. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { addToSkipIndex, rebuildOutgrownSkipIndexes } from "../skip-index/write-skip-index.ts";
import { readAccessState, renewAccessVersions } from "./access-versions.ts";
import { addBucketGrowth, countNewBuckets } from "./bucket-sizes.ts";
import { mergeBuckets } from "./merge-buckets.ts";
import { addImpliedFolders, countKnownFolders, mergeFolders } from "./merge-folders.ts";
import { mergeIntegrations, mergeUploads, type UploadColumns } from "./merge-uploads.ts";
import { type MergeCounts, runOn, runStatement } from "./statements.ts";

export interface MergeOptions {
  /** The columns that are replaced in an upload that the index already has. */
  readonly uploadColumns: UploadColumns;
  /** Whether records may give a bucket that the index already has another name or organisation. */
  readonly mayChangeBuckets: boolean;
}

/** What an import did. */
export interface ImportResult {
  readonly buckets: MergeCounts;
  readonly integrations: MergeCounts;
  readonly folders: MergeCounts;
  readonly uploads: MergeCounts;
  /** The host names of the first few buckets of the import, by ID. */
  readonly hostnames: readonly string[];
  /** How many buckets the import has records of. */
  readonly bucketCount: number;
  /** Why the skip index could not be rebuilt; the next import tries again. */
  readonly skipIndexError?: unknown;
}

/**
 * Readers see nothing of the import or all of it, and never wait. Imports into the same bucket wait
 * for each other. Throws `HostnameTakenError` and `BucketChangedError`. If it throws anything,
 * nothing was changed.
 */
export async function mergeStaged(
  client: pg.ClientBase,
  options: MergeOptions,
): Promise<ImportResult> {
  await client.query(analyzeKeys);
  const result = await inTransaction(client, () => mergeAll(client, options));
  // The import is committed. The server would do the rest in time, so errors here do not matter.
  const upkeep = rowsWritten(result) > vacuumFromRows ? [cleanTerms, vacuum] : [cleanTerms];
  for (const statement of upkeep) await client.query(statement).catch(() => undefined);
  try {
    await inTransaction(client, () => rebuildOutgrownSkipIndexes(runOn(client)));
    return result;
  } catch (skipIndexError) {
    return { ...result, skipIndexError };
  }
}

// A search reads all entries of the pending list of the GIN index.
const cleanTerms = "select gin_clean_pending_list('uploads.uploads_by_term')";

const vacuumFromRows = 1000;

// Without it, index-only scans read the new rows, and the planner assumes a small table.
const vacuum = "vacuum (analyze, index_cleanup off, truncate off) uploads.folders, uploads.uploads";

// The planner needs statistics only of the columns that are joined.
const analyzeKeys = `analyze staged_buckets,
  staged_integrations (bucket_id, integration_id),
  staged_folders (bucket_id, folder_id, tree_key),
  staged_paths (bucket_id, tree_key),
  staged_uploads (bucket_id, upload_id)`;

async function mergeAll(client: pg.ClientBase, options: MergeOptions): Promise<ImportResult> {
  await client.query("set constraints all deferred");
  for (const statement of dropSuperseded) await runStatement(client, statement);
  const buckets = await mergeBuckets(client, options);
  await readAccessState(client);
  await countNewBuckets(client);
  const integrations = await mergeIntegrations(client);
  const folders = await mergeFolders(client);
  const uploads = await mergeUploads(client, options);
  await addToSkipIndex(runOn(client));
  const known = await countKnownFolders(client);
  const implied = await addImpliedFolders(client);
  await renewAccessVersions(client);
  await addBucketGrowth(client);
  return {
    buckets,
    integrations,
    folders: { ...folders, new: folders.new + implied, unchanged: folders.unchanged + known },
    uploads,
    ...(await bucketsOfImport(client)),
  };
}

// Of the staged rows with one ID, only the last is merged.
const dropSuperseded = [
  supersededIn("staged_buckets", ["bucket_id"]),
  supersededIn("staged_integrations", ["bucket_id", "integration_id"]),
  supersededIn("staged_uploads", ["bucket_id", "upload_id"]),
];

function supersededIn(table: string, key: readonly string[]): string {
  const isSame = key.map((column) => `staged.${column} = twice.${column}`).join(" and ");
  return `
    delete from ${table} staged
    using (select ${key.join(", ")}, max(line) as line from ${table}
           group by ${key.join(", ")} having count(*) > 1) twice
    where ${isSame} and staged.line < twice.line`;
}

const hostnamesMax = 5;

async function bucketsOfImport(
  client: pg.ClientBase,
): Promise<Pick<ImportResult, "bucketCount" | "hostnames">> {
  const { rows } = await client.query<{ hostname: string; count: string }>(`
    select hostname, count(*) over () as count from uploads.buckets
    where bucket_id in (select bucket_id from staged_paths)
    order by bucket_id limit ${hostnamesMax}`);
  return { bucketCount: Number(rows[0]?.count ?? 0), hostnames: rows.map((row) => row.hostname) };
}

function rowsWritten({ folders, uploads }: ImportResult): number {
  return folders.new + folders.changed + uploads.new + uploads.changed;
}
