/**
 * Merges the staging tables into the real tables, in one transaction. Every import and every run of
 * a source writes through here.
 */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { addToSkipIndex } from "../../skip-index/write-skip-index.ts";
import { readAccessState, renewAccessVersions } from "./access-versions.ts";
import { addBucketGrowth } from "./bucket-sizes.ts";
import { giveBack, keepDeleted } from "./deleted-uploads.ts";
import {
  deleteUnstaged,
  deleteUnstagedIntegrations,
  deleteUploads,
  resolveDeletions,
} from "./deletions.ts";
import { removeEmptyFolders } from "./empty-folders.ts";
import { addTotalGrowth } from "./folder-totals.ts";
import { countGrowth } from "./index-growth.ts";
import { keepPrimary, mergeBuckets } from "./merge-buckets.ts";
import { mergeFolders } from "./merge-folders.ts";
import {
  compareUploads,
  mergeIntegrations,
  type UploadColumns,
  writeUploads,
  writtenUploads,
} from "./merge-uploads.ts";
import { requireExactTotals } from "./require-exact-totals.ts";
import { emptyStagingTables } from "./staging-tables.ts";
import { type MergeCounts, runOn, runStatement } from "./statements.ts";

export interface MergeOptions {
  /** The columns that are replaced in an upload that the index already has. */
  readonly uploadColumns: UploadColumns;
  /** Whether records may give a bucket that the index already has another name or organisation. */
  readonly mayChangeBuckets: boolean;
  /** The source that the rows come from: it is written to new and changed ones. */
  readonly sourceId?: string;
  /** Rows of the source that changed later stay as they are. Undefined: none does. */
  readonly madeAt?: Date | undefined;
  /**
   * Deletes the uploads and integrations of the buckets that are not staged, and folders that then
   * are empty. Rows of sources stay. If that is over half of the uploads, it must be confirmed.
   */
  readonly deletesUnstaged?: { readonly isConfirmed: boolean };
  /** Whether what deleted uploads have of their own is kept, for when they return. */
  readonly keepsDeleted?: boolean;
  /** A condition in SQL on a folder `f` that stays though it became empty. */
  readonly keptFolders?: string;
  /** Called with the number of new uploads that are written, and of all that will be. */
  readonly onWritten?: (uploads: number, all: number) => void;
  /**
   * Runs in the transaction of the merge when the buckets of the staged paths are locked: rows that
   * it reads stay unchanged until the commit. It may stage more rows of these buckets.
   */
  readonly afterLocks?: () => Promise<unknown>;
  /** Runs in the transaction of the merge when `new_uploads` and `changed_uploads` are filled. */
  readonly onCompared?: () => Promise<unknown>;
  /** Runs in the transaction of the merge, before it is committed. */
  readonly beforeCommit?: (result: MergeResult) => Promise<void>;
}

/** What a merge did. */
export interface MergeResult {
  readonly buckets: MergeCounts;
  readonly integrations: MergeCounts;
  readonly folders: MergeCounts;
  readonly uploads: MergeCounts;
  /** How many rows were deleted. */
  readonly deleted: {
    readonly integrations: number;
    readonly folders: number;
    readonly uploads: number;
  };
  /** The host names of the first few buckets of the import, by ID. */
  readonly hostnames: readonly string[];
  /** The buckets that the import has records of. */
  readonly bucketIds: readonly string[];
}

/**
 * Readers see nothing of the merge or all of it, and never wait. Merges into the same bucket wait
 * for each other. Throws `HostnameTakenError`, `BucketChangedError`, `ReplacementError` and
 * `TotalTooLargeError`. If it throws anything, nothing was changed. Afterwards the staging tables
 * are empty. `maintainIndexes` should follow.
 */
export async function mergeStaged(
  client: pg.ClientBase,
  options: MergeOptions,
): Promise<MergeResult> {
  return await inTransaction(client, async () => {
    const result = await mergeAll(client, options);
    await emptyStagingTables(client);
    await options.beforeCommit?.(result);
    return result;
  });
}

/**
 * Counts what a merge would write of the staged uploads, and empties the staging tables. Nothing
 * else is written.
 *
 * @param afterCount runs in the same transaction.
 */
export async function compareStaged(
  client: pg.ClientBase,
  options: Pick<MergeOptions, "uploadColumns" | "sourceId" | "madeAt">,
  afterCount: (uploads: { readonly new: number; readonly changed: number }) => Promise<void>,
): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(analyzeKeys);
    await runStatement(client, dropSuperseded.uploads);
    const compared = await compareUploads(client, options);
    await emptyStagingTables(client);
    await afterCount(compared);
  });
}

// A sample of 3,000 staged rows tells the planner as much as one of 30,000, in a fifth of the time.
const sampleFewer = "set local default_statistics_target = 10";

// The planner needs statistics only of the columns that are joined.
const analyzeKeys = `analyze staged_integrations (bucket_number, integration_id),
  staged_folders (bucket_number, folder_id, tree_key),
  staged_paths (bucket_number, tree_key),
  staged_uploads (bucket_number, upload_id)`;

async function mergeAll(client: pg.ClientBase, options: MergeOptions): Promise<MergeResult> {
  await client.query(`set constraints all deferred; set local work_mem = '64MB'; ${sampleFewer}`);

  // 1. Lock the buckets, so that nothing else writes to them until the commit.
  await runStatement(client, keepPrimary);
  await runStatement(client, dropSuperseded.buckets);
  const buckets = await mergeBuckets(client, options);
  await options.afterLocks?.();

  // 2. Prepare the staged rows, which are complete now.
  await client.query(analyzeKeys);
  await runStatement(client, dropSuperseded.integrations);
  await runStatement(client, dropSuperseded.uploads);

  // 3. Store the state before rows are written: step 6 compares it with the new one.
  await readAccessState(client);

  // 4. Decide what is written and deleted, and what that adds to the totals.
  await resolveDeletions(client);
  if (options.deletesUnstaged) await deleteUnstaged(client, options.deletesUnstaged);
  if (options.keepsDeleted) await keepDeleted(client);
  const { sourceId, uploadColumns } = options;
  if (sourceId !== undefined) await giveBack(client, { replaces: uploadColumns === "all" });
  const compared = await compareUploads(client, options);
  await options.onCompared?.();
  await countGrowth(client);
  await requireExactTotals(client, options.uploadColumns);

  // 5. Write it: folders first, which have the positions of uploads. Integrations that rows of
  // sources name are not deleted, so these rows are written before that.
  const integrations = await mergeIntegrations(client);
  await addTotalGrowth(client);
  const folders = await mergeFolders(client, options.sourceId);
  const deletedUploads = await deleteUploads(client);
  const uploads = await writeUploads(client, compared, options);
  const deletedIntegrations = options.deletesUnstaged
    ? await deleteUnstagedIntegrations(client)
    : 0;
  const deletedFolders = await removeEmptyFolders(client, options);

  // 6. Derive access versions, sizes and the skip index from what the steps before changed.
  await addToSkipIndex(runOn(client), writtenUploads);
  await renewAccessVersions(client);
  await addBucketGrowth(client);

  return {
    buckets,
    integrations,
    folders,
    uploads,
    deleted: {
      integrations: deletedIntegrations,
      folders: deletedFolders,
      uploads: deletedUploads,
    },
    ...(await bucketsOfImport(client)),
  };
}

// Of the staged rows with one ID, only the last is merged.
const dropSuperseded = {
  buckets: supersededIn("staged_buckets", ["bucket_id"]),
  integrations: supersededIn("staged_integrations", ["bucket_number", "integration_id"]),
  uploads: supersededIn("staged_uploads", ["bucket_number", "upload_id"]),
};

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
): Promise<Pick<MergeResult, "bucketIds" | "hostnames">> {
  const { rows } = await client.query<{ bucketId: string; hostname: string }>(`
    select bucket_id as "bucketId", hostname from uploads.buckets
    where bucket_number in (select bucket_number from staged_paths) order by bucket_id`);
  return {
    bucketIds: rows.map(({ bucketId }) => bucketId),
    hostnames: rows.slice(0, hostnamesMax).map(({ hostname }) => hostname),
  };
}
