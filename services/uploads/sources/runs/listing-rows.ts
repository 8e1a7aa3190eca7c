/** The rows of a listing: what a listed object, or something unreadable, is stored as. */
import type pg from "pg";
import { objectValues } from "../../import/records/column-values.ts";
import type { ObjectFields } from "../../import/records/record.ts";
import { deterministicUploadId } from "../../model/deterministic-ids.ts";
import { treeKey } from "../../model/tree-key.ts";
import { type CopiedTable, type CopyValue, copiedTable } from "../../postgres/copy-in.ts";
import { externalPathOf, KeyError, type Mount, pathOfKey } from "../keys.ts";
import type { LeftOut, ListedObject, ListedPage } from "../lister.ts";
import { type BucketMount, mapObject, ValueError } from "../map-object.ts";
import { type Run, tablesOf } from "./run.ts";

// An upload has its values, a folder its path. An unreadable file has the ID of its upload and an
// unreadable directory its path and its key, so that their rows in the index are kept.
export const listingColumns = `(
  kind text not null,
  upload_id text collate "C",
  id_prefix text collate "C",
  path text collate "C",
  folder_key text collate "C",
  filename text collate "C",
  filename_nfc text collate "C",
  filename_folded text collate "C",
  signature bigint,
  search_words text collate "C",
  size_bytes bigint,
  type smallint,
  -- Null: the listing has no tags.
  tags text[] collate "C",
  -- Null: when the object was first seen.
  created_at timestamptz,
  updated_at timestamptz,
  intent_metadata jsonb,
  external_path text collate "C"
)`;

/** The columns of a row that is written; all others stay, or have no value. */
export const listedColumns = Object.keys(objectValues) as (keyof typeof objectValues)[];

/** Pages as they will be stored together. */
export class PreparedPages {
  readonly rows: CopiedTable<ListingRow>;
  readonly leftOut: LeftOut[] = [];
  objects = 0;
  sizeBytes = 0;
  count = 0;
  readonly #source: BucketMount;

  /** Uses the connection only to store the pages: it may be storing others meanwhile. */
  constructor(client: pg.ClientBase, run: Run, mount: Mount) {
    this.rows = copiedTable(client, tablesOf(run).listing, listingValues);
    this.#source = { ...mount, bucketId: run.bucketId };
  }

  add({ objects, leftOut }: ListedPage): void {
    for (const object of objects) this.#addObject(object);
    for (const each of leftOut) this.#leaveOut(each);
    this.count += 1;
  }

  #addObject(object: ListedObject): void {
    const row = rowOf(object, this.#source);
    if (row instanceof Error) {
      const isUnreadable = row instanceof ValueError;
      this.leftOut.push({ key: object.key, reason: row.message, isUnreadable });
      if (isUnreadable) this.rows.add(unreadableRow(object, this.#source));
      return;
    }
    this.rows.add(row);
    if (row.kind !== "upload") return;
    this.objects += 1;
    this.sizeBytes += object.sizeBytes;
  }

  #leaveOut(leftOut: LeftOut): void {
    this.leftOut.push(leftOut);
    // The key of a directory ends with `/`, as that of an empty object which is a folder.
    const asObject = { key: leftOut.key, sizeBytes: 0 };
    if (leftOut.isUnreadable) this.rows.add(unreadableRow(asObject, this.#source));
  }
}

/** The kinds are stored: an upload, a folder, or something that could not be read. */
type ListingRow =
  | { readonly kind: "upload"; readonly object: ObjectFields; readonly hasTags: boolean }
  | { readonly kind: "folder"; readonly path: string }
  | UnreadRow;

interface UnreadRow {
  readonly kind: "unread";
  /** Of a directory. */
  readonly path: string | null;
  /** Of a file. */
  readonly uploadId: string | null;
  readonly externalPath: string;
}

function rowOf(object: ListedObject, source: BucketMount): ListingRow | KeyError | ValueError {
  try {
    const mapped = mapObject(object, source);
    if (mapped.kind === "folder") return mapped;
    return { ...mapped, hasTags: object.tags !== undefined };
  } catch (error) {
    if (error instanceof KeyError || error instanceof ValueError) return error;
    throw error;
  }
}

function unreadableRow(
  { key, sizeBytes }: Pick<ListedObject, "key" | "sizeBytes">,
  mount: BucketMount,
): ListingRow {
  const row = {
    kind: "unread",
    path: null,
    uploadId: null,
    externalPath: externalPathOf(key),
  } as const;
  try {
    const { path, filename } = pathOfKey(key, sizeBytes, mount);
    if (filename === undefined) return { ...row, path };
    return { ...row, uploadId: deterministicUploadId(mount.bucketId, path, filename) };
  } catch (error) {
    // Then the index cannot hold it, and has nothing of it.
    if (error instanceof KeyError) return row;
    throw error;
  }
}

function pathOf(row: ListingRow): string | null {
  return row.kind === "upload" ? row.object.path : row.path;
}

const ofUpload =
  (value: (object: ObjectFields) => CopyValue) =>
  (row: ListingRow): CopyValue =>
    row.kind === "upload" ? value(row.object) : null;

const listingValues: Readonly<Record<string, (row: ListingRow) => CopyValue>> = {
  ...Object.fromEntries(
    Object.entries(objectValues).map(([column, value]) => [column, ofUpload(value)]),
  ),
  kind: (row) => row.kind,
  upload_id: (row) =>
    row.kind === "unread" ? row.uploadId : ofUpload(objectValues.upload_id)(row),
  path: pathOf,
  // As a generated column, it would take a third of the time of COPY.
  folder_key: (row) => {
    const path = pathOf(row);
    return path === null ? null : treeKey(path);
  },
  tags: (row) => (row.kind === "upload" && row.hasTags ? row.object.tags : null),
  external_path: (row) =>
    row.kind === "unread" ? row.externalPath : ofUpload(objectValues.external_path)(row),
};
