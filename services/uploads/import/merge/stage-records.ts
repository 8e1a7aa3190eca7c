/** Copies the records of an import to temporary tables, before it touches the real ones. */
import type pg from "pg";
import { deterministicFolderId } from "../../model/deterministic-ids.ts";
import { parentPath } from "../../model/path.ts";
import { copiedTable } from "../../postgres/copy-in.ts";
import {
  bucketValues,
  folderValues,
  integrationValues,
  pathValues,
  uploadValues,
} from "../records/column-values.ts";
import type { ImportRecord } from "../records/record.ts";

/** Creates the staging tables of this connection, and fills them with all records. */
export async function stageRecords(
  client: pg.ClientBase,
  records: AsyncIterable<readonly ImportRecord[]>,
): Promise<void> {
  await client.query(stagingTables);
  const { add, send } = stagedTables(client);
  let sending: Promise<void> = Promise.resolve();
  for await (const batch of records) {
    for (const record of batch) add(record);
    // The next batch is read while the database stores this one.
    await sending;
    sending = send(false);
    // Its error is thrown where it is awaited.
    sending.catch(() => undefined);
  }
  await sending;
  await send(true);
}

// The columns are those of the real tables without documents. `line` tells the later of two rows.
const stagingTables = `
  create temporary table staged_buckets (line bigint not null, like uploads.buckets);
  -- Null: only if the organisation has no primary bucket yet.
  alter table staged_buckets alter is_primary drop not null;

  create temporary table staged_integrations (line bigint not null, like uploads.integrations);
  alter table staged_integrations drop document;

  create temporary table staged_folders (
    line bigint not null,
    -- Whether no later line has its ID or its path.
    is_last boolean not null default true,
    like uploads.folders including generated
  );
  alter table staged_folders drop document;

  -- The folders that must exist for a row: its own and all above it. A path may be there twice.
  create temporary table staged_paths (
    bucket_id uuid not null,
    folder_id uuid not null,
    path text collate "C" not null,
    tree_key text collate "C" not null generated always as (uploads.tree_key(path)) stored,
    path_nfc text collate "C",
    path_folded text collate "C" not null,
    is_listed boolean not null
  );

  create temporary table staged_uploads (line bigint not null, like uploads.uploads);
  alter table staged_uploads drop folder_key, drop document, drop filter_text,
    -- Null: the time of the import.
    alter created_at drop not null, alter updated_at drop not null;

  -- Folders that a staged folder with their ID or path replaced.
  create temporary table displaced_folders (like uploads.folders);

  -- What decided visibility when the import took its locks.
  create temporary table access_before (bucket_id uuid, thing text, state text);

  -- Rows that the import inserted.
  create temporary table bucket_growth (
    bucket_id uuid not null,
    folders bigint not null default 0,
    uploads bigint not null default 0
  );`;

const line = (record: { readonly line: number }) => record.line;

/** Paths that are remembered so that they are not staged twice; staging one twice does no harm. */
const rememberedPathsMax = 100_000;

function stagedTables(client: pg.ClientBase) {
  const buckets = copiedTable(client, "staged_buckets", { line, ...bucketValues });
  const integrations = copiedTable(client, "staged_integrations", { line, ...integrationValues });
  const folders = copiedTable(client, "staged_folders", { line, ...folderValues });
  const paths = copiedTable(client, "staged_paths", pathValues);
  const uploads = copiedTable(client, "staged_uploads", { line, ...uploadValues });
  const tables = [buckets, integrations, folders, paths, uploads];

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

  function add(record: ImportRecord): void {
    const { kind, bucketId } = record;
    if (kind === "directory") {
      const { path } = record;
      const folderId = deterministicFolderId(bucketId, path);
      paths.add({ bucketId, path, folderId, isListed: true });
      addPaths(bucketId, parentPath(path));
    } else if (kind === "upload") {
      uploads.add(record);
      addPaths(bucketId, record.upload.path);
    } else if (kind === "folder") {
      folders.add(record);
      addPaths(bucketId, parentPath(record.folder.path) ?? "/");
    } else {
      if (kind === "bucket") buckets.add(record);
      else integrations.add(record);
      addPaths(bucketId, "/");
    }
  }

  return {
    add,
    async send(isLast: boolean): Promise<void> {
      for (const table of tables) await table.send(isLast);
    },
  };
}
