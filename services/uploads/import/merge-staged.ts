/** Moves what is staged into the real tables: all of it, in one transaction, or nothing. */
import type pg from "pg";
import { rememberAccess, renewAccessVersions } from "./access-versions.ts";
import { addImpliedFolders } from "./add-implied-folders.ts";
import { addToZones } from "./add-to-zones.ts";
import { addBucketGrowth, beginBucketSizes } from "./bucket-sizes.ts";
import { dropSuperseded } from "./drop-superseded.ts";
import { mergeBuckets } from "./merge-buckets.ts";
import type { MergeCounts } from "./merge-counts.ts";
import { mergeFolders } from "./merge-folders.ts";
import { mergeIntegrations } from "./merge-integrations.ts";
import { mergeUploads, type UploadReplacement } from "./merge-uploads.ts";
import { renewZones } from "./renew-zones.ts";
import { countRows, runOn } from "./run-statement.ts";

/** What an import did. */
export interface ImportResult {
  readonly buckets: MergeCounts;
  readonly integrations: MergeCounts;
  readonly folders: MergeCounts;
  readonly uploads: MergeCounts;
  /** Of the buckets that were imported into, as they are now; the first few, by ID. */
  readonly hostnames: readonly string[];
  /** How many buckets were imported into. */
  readonly bucketCount: number;
  /** Why the zones that searches skip could not be renewed; the next import tries again. */
  readonly zonesError?: unknown;
}

/**
 * Readers see either nothing of the import or all of it, and wait for nothing; imports into the
 * same bucket wait for each other. Throws `HostnameTakenError`. Whatever it throws, nothing was
 * changed.
 */
export async function mergeStaged(
  client: pg.ClientBase,
  replacement: UploadReplacement,
): Promise<ImportResult> {
  await client.query(analyzeKeys);
  const result = await inTransaction(client, () => mergeAll(client, replacement));
  // The import is kept already, and the server does all this by itself in time: a failure here is
  // none of its own.
  const tidy = rowsWritten(result) > vacuumFromRows ? [cleanTerms, vacuum] : [cleanTerms];
  for (const statement of tidy) await client.query(statement).catch(() => undefined);
  try {
    await inTransaction(client, () => renewZones(runOn(client)));
    return result;
  } catch (zonesError) {
    return { ...result, zonesError };
  }
}

// Searches go through all new terms one by one until they are in their places.
const cleanTerms = "select gin_clean_pending_list('uploads.uploads_by_term')";

const vacuumFromRows = 1000;

// Until then indexes cannot answer without a look at the new rows, and the planner plans for a
// small table.
const vacuum = "vacuum (analyze, index_cleanup off, truncate off) uploads.folders, uploads.uploads";

// What rows are joined by is all that the planner needs to know of them.
const analyzeKeys = `analyze staged_buckets,
  staged_integrations (bucket_id, integration_id),
  staged_folders (bucket_id, folder_id, tree_key),
  staged_paths (bucket_id, tree_key),
  staged_uploads (bucket_id, upload_id)`;

async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    // Where the connection is gone, so is the transaction, and the first error says more.
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

async function mergeAll(
  client: pg.ClientBase,
  replacement: UploadReplacement,
): Promise<ImportResult> {
  await client.query("set constraints all deferred");
  await dropSuperseded(client);
  const buckets = await mergeBuckets(client, replacement);
  await rememberAccess(client);
  await beginBucketSizes(client);
  const integrations = await mergeIntegrations(client);
  const folders = await mergeFolders(client);
  const uploads = await mergeUploads(client, replacement);
  await addToZones(runOn(client));
  const known = await countRows(client, knownFolders);
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

// Those that the import needs and does not describe.
const knownFolders = `(select distinct bucket_id, tree_key from staged_paths) p
  join uploads.folders f on f.bucket_id = p.bucket_id and f.tree_key = p.tree_key
  where not exists (
    select from staged_folders s
    where s.is_last and s.bucket_id = p.bucket_id and s.tree_key = p.tree_key)`;

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
