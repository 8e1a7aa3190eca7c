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

/** Adds all records to the staging tables of this connection. */
export async function fillStagingTables(
  client: pg.ClientBase,
  records: AsyncIterable<readonly ImportRecord[]> | Iterable<readonly ImportRecord[]>,
): Promise<void> {
  const { add, waitingCharacters, send } = stagedTables(client);
  let sending: Promise<void> = Promise.resolve();
  let isSending = false;
  for await (const batch of records) {
    for (const record of batch) add(record);
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

const stagedObjectValues = {
  line,
  bucket_id: ({ bucketId }: ObjectRecord) => bucketId,
  ...Object.fromEntries(
    Object.entries(objectValues).map(([column, value]) => [
      column,
      ({ object }: ObjectRecord) => value(object),
    ]),
  ),
};

/** Paths that are remembered so that they are not staged twice; staging one twice does no harm. */
const rememberedPathsMax = 100_000;

function stagedTables(client: pg.ClientBase) {
  const buckets = copiedTable(client, "staged_buckets", { line, ...bucketValues });
  const integrations = copiedTable(client, "staged_integrations", { line, ...integrationValues });
  const folders = copiedTable(client, "staged_folders", { line, ...folderValues });
  const paths = copiedTable(client, "staged_paths", pathValues);
  const uploads = copiedTable(client, "staged_uploads", { line, ...uploadValues });
  const objects = copiedTable(client, "staged_uploads", stagedObjectValues);
  const deletions = copiedTable(client, "staged_deletions", {
    line,
    bucket_id: (deletion: StagedDeletion) => deletion.bucketId,
    upload_id: ({ uploadId }) => uploadId,
  });
  const pathDeletions = copiedTable(client, "staged_path_deletions", {
    line,
    bucket_id: (deletion: StagedPathDeletion) => deletion.bucketId,
    path: ({ path }) => path,
  });
  const tables = [
    buckets,
    integrations,
    folders,
    paths,
    uploads,
    objects,
    deletions,
    pathDeletions,
  ];

  const remembered = new Set<string>();
  /** Adds the path and all above it that are not remembered. */
  function addPaths(bucketId: string, path: string | undefined): void {
    for (let at = path; at !== undefined; at = parentPath(at)) {
      const key = bucketId + at;
      if (remembered.has(key)) return;
      if (remembered.size === rememberedPathsMax) remembered.clear();
      remembered.add(key);
      paths.add({
        bucketId,
        path: at,
        folderId: deterministicFolderId(bucketId, at),
        isListed: false,
      });
    }
  }

  function addRow(record: ImportRecord): void {
    if (record.kind === "bucket") buckets.add(record);
    else if (record.kind === "integration") integrations.add(record);
    else if (record.kind === "folder") folders.add(record);
    else if (record.kind === "upload") uploads.add(record);
    else if (record.kind === "object") objects.add(record);
    else if (record.kind === "deletion") addDeletion(record);
    else addFolderPath(record);
  }

  function add(record: ImportRecord): void {
    addRow(record);
    addPaths(record.bucketId, pathImpliedBy(record));
  }

  function addFolderPath({ bucketId, path }: FolderPathRecord): void {
    const folderId = deterministicFolderId(bucketId, path);
    paths.add({ bucketId, path, folderId, isListed: true });
  }

  function addDeletion({ line, bucketId, thing }: DeletionRecord): void {
    if ("path" in thing) pathDeletions.add({ line, bucketId, path: thing.path });
    else deletions.add({ line, bucketId, uploadId: thing.uploadId });
  }

  return {
    add,
    waitingCharacters: () => tables.reduce((sum, table) => sum + table.waitingCharacters, 0),
    async send(isLast: boolean): Promise<void> {
      for (const table of tables) await table.send(isLast);
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
