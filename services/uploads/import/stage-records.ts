/** Sends the records of an import into its staging tables, in batches, in bounded memory. */
import type pg from "pg";
import { madeFolderId } from "../model/deterministic-ids.ts";
import { parentPath } from "../model/path.ts";
import { copiedTable } from "./copied-table.ts";
import type { ImportRecord } from "./records.ts";
import {
  bucketValues,
  folderValues,
  integrationValues,
  pathValues,
  uploadValues,
} from "./written-values.ts";

export interface RecordStager {
  add(record: ImportRecord): void;
  /** Makes room for the next batch of records. To be awaited. */
  settle(): Promise<void>;
  /** Sends the last of them. */
  finish(): Promise<void>;
}

const line = (record: { readonly line: number }) => record.line;

/** Paths remembered so as not to send them again; sending one twice does no harm. */
const pathsRememberedMax = 100_000;

/** `client` must have the staging tables, and is used for nothing else meanwhile. */
export function createRecordStager(client: pg.ClientBase): RecordStager {
  const buckets = copiedTable(client, "staged_buckets", { line, ...bucketValues });
  const integrations = copiedTable(client, "staged_integrations", { line, ...integrationValues });
  const folders = copiedTable(client, "staged_folders", { line, ...folderValues });
  const paths = copiedTable(client, "staged_paths", pathValues);
  const uploads = copiedTable(client, "staged_uploads", { line, ...uploadValues });
  const tables = [buckets, integrations, folders, paths, uploads];

  const remembered = new Set<string>();
  /** Adds the path and all above it, up to the first that was added before. */
  function addPaths(bucketId: string, path: string | undefined): void {
    for (let at = path; at !== undefined; at = parentPath(at)) {
      const key = bucketId + at;
      if (remembered.has(key)) return;
      if (remembered.size === pathsRememberedMax) remembered.clear();
      remembered.add(key);
      paths.add({ bucketId, path: at, folderId: madeFolderId(bucketId, at), isListed: false });
    }
  }

  const add = {
    bucket(record) {
      buckets.add(record);
      addPaths(record.bucketId, "/");
    },
    integration(record) {
      integrations.add(record);
      addPaths(record.bucketId, "/");
    },
    folder(record) {
      folders.add(record);
      addPaths(record.bucketId, parentPath(record.folder.path) ?? "/");
    },
    directory({ bucketId, path }) {
      const folderId = madeFolderId(bucketId, path);
      paths.add({ bucketId, path, folderId, isListed: true });
      addPaths(bucketId, parentPath(path));
    },
    upload(record) {
      uploads.add(record);
      addPaths(record.bucketId, record.upload.path);
    },
  } satisfies {
    [Kind in ImportRecord["kind"]]: (record: Extract<ImportRecord, { kind: Kind }>) => void;
  };

  let sending: Promise<void> = Promise.resolve();
  async function send(isLast: boolean): Promise<void> {
    for (const table of tables) await table.send(isLast);
  }
  return {
    add: (record) => (add[record.kind] as (record: ImportRecord) => void)(record),
    async settle() {
      // The next batch is made while the database takes this one.
      await sending;
      sending = send(false);
      // Whoever awaits it next gets the error.
      sending.catch(() => undefined);
    },
    async finish() {
      await sending;
      await send(true);
    },
  };
}
