/** Copies the records of an import to temporary tables, before it touches the real ones. */
import type pg from "pg";
import { deterministicFolderId } from "../../model/deterministic-ids.ts";
import { parentPath } from "../../model/path.ts";
import { copiedTable } from "../../postgres/copy-in.ts";
import {
  bucketValues,
  folderValues,
  integrationValues,
  objectValues,
  pathValues,
  uploadValues,
} from "../records/column-values.ts";
import type {
  DeletionRecord,
  FolderPathRecord,
  ImportRecord,
  ObjectRecord,
} from "../records/record.ts";
import { BucketNumbers } from "./bucket-numbers.ts";

/** Adds all records to the staging tables of this connection. */
export async function fillStagingTables(
  client: pg.ClientBase,
  records: AsyncIterable<readonly ImportRecord[]> | Iterable<readonly ImportRecord[]>,
): Promise<void> {
  const numbers = new BucketNumbers(client);
  const { add, waitingCharacters, send } = stagedTables(client, numbers);
  let sending: Promise<void> = Promise.resolve();
  let isSending = false;
  for await (const batch of records) {
    for (const record of batch) {
      if (!numbers.has(record.bucketId)) {
        await sending;
        await numbers.add(record.bucketId);
      }
      add(record);
    }
    // Further batches are read while the database stores earlier ones.
    if (isSending && waitingCharacters() < waitingCharactersMax) continue;
    await sending;
    isSending = true;
    sending = send(false).finally(() => {
      isSending = false;
    });
    // Its error is thrown where it is awaited.
    sending.catch(() => undefined);
  }
  await sending;
  await send(true);
}

/** Limits the rows that wait until the database has stored earlier ones. */
const waitingCharactersMax = 8 * 1024 * 1024;

interface StagedDeletion {
  readonly line: number;
  readonly bucketId: string;
  readonly uploadId: string;
}

interface StagedPathDeletion {
  readonly line: number;
  readonly bucketId: string;
  readonly path: string;
}

const line = (record: { readonly line: number }) => record.line;

/** Paths that are remembered so that they are not staged twice; staging one twice does no harm. */
const rememberedPathsMax = 100_000;

function stagedTables(client: pg.ClientBase, numbers: BucketNumbers) {
  const tables = copiedTables(client, numbers);
  const remembered = new Set<string>();
  /** Adds the path and all above it that are not remembered. */
  function addPaths(bucketId: string, path: string | undefined): void {
    for (let at = path; at !== undefined; at = parentPath(at)) {
      const key = bucketId + at;
      if (remembered.has(key)) return;
      if (remembered.size === rememberedPathsMax) remembered.clear();
      remembered.add(key);
      tables.paths.add({
        bucketId,
        path: at,
        folderId: deterministicFolderId(bucketId, at),
        isListed: false,
      });
    }
  }

  function addRow(record: ImportRecord): void {
    if (record.kind === "bucket") tables.buckets.add(record);
    else if (record.kind === "integration") tables.integrations.add(record);
    else if (record.kind === "folder") tables.folders.add(record);
    else if (record.kind === "upload") tables.uploads.add(record);
    else if (record.kind === "object") tables.objects.add(record);
    else if (record.kind === "deletion") addDeletion(record);
    else addFolderPath(record);
  }

  function add(record: ImportRecord): void {
    addRow(record);
    addPaths(record.bucketId, pathImpliedBy(record));
  }

  function addFolderPath({ bucketId, path }: FolderPathRecord): void {
    const folderId = deterministicFolderId(bucketId, path);
    tables.paths.add({ bucketId, path, folderId, isListed: true });
  }

  function addDeletion({ line, bucketId, thing }: DeletionRecord): void {
    if ("path" in thing) tables.pathDeletions.add({ line, bucketId, path: thing.path });
    else tables.deletions.add({ line, bucketId, uploadId: thing.uploadId });
  }

  return {
    add,
    waitingCharacters: () =>
      Object.values(tables).reduce((sum, table) => sum + table.waitingCharacters, 0),
    async send(isLast: boolean): Promise<void> {
      for (const table of Object.values(tables)) await table.send(isLast);
    },
  };
}

/** The folder that must exist for a record, with all above it. */
function pathImpliedBy(record: ImportRecord): string | undefined {
  if (record.kind === "upload") return record.upload.path;
  if (record.kind === "object") return record.object.path;
  if (record.kind === "folder") return parentPath(record.folder.path) ?? "/";
  if (record.kind === "folder path") return parentPath(record.path);
  return "/";
}

function copiedTables(client: pg.ClientBase, numbers: BucketNumbers) {
  const ofBucket = {
    bucket_number: ({ bucketId }: { readonly bucketId: string }) => numbers.of(bucketId),
  };
  const ofLine = { line, ...ofBucket };
  return {
    buckets: copiedTable(client, "staged_buckets", { ...ofLine, ...bucketValues }),
    integrations: copiedTable(client, "staged_integrations", {
      ...ofLine,
      ...integrationValues,
    }),
    folders: copiedTable(client, "staged_folders", { ...ofLine, ...folderValues }),
    paths: copiedTable(client, "staged_paths", { ...ofBucket, ...pathValues }),
    uploads: copiedTable(client, "staged_uploads", { ...ofLine, ...uploadValues }),
    objects: copiedTable<ObjectRecord>(client, "staged_uploads", {
      ...ofLine,
      ...Object.fromEntries(
        Object.entries(objectValues).map(([column, value]) => [
          column,
          ({ object }: ObjectRecord) => value(object),
        ]),
      ),
    }),
    deletions: copiedTable(client, "staged_deletions", {
      ...ofLine,
      upload_id: ({ uploadId }: StagedDeletion) => uploadId,
    }),
    pathDeletions: copiedTable(client, "staged_path_deletions", {
      ...ofLine,
      path: ({ path }: StagedPathDeletion) => path,
    }),
  };
}
