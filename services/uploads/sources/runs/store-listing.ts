/** The listing of a run: a table of its own, filled page by page, with a checkpoint per range. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { uploadValues } from "../../import/records/column-values.ts";
import { type CopiedTable, type CopyValue, copiedTable } from "../../postgres/copy-in.ts";
import {
  bytesOfKey,
  externalPathOf,
  type Key,
  KeyError,
  keyOfBytes,
  type Mount,
  pathOfKey,
} from "../keys.ts";
import {
  type BucketMount,
  type KeyRange,
  type LeftOut,
  type ListedObject,
  type ListedPage,
  type ListedUpload,
  mapObject,
} from "../listed-object.ts";
import { listedColumns } from "./compare.ts";
import { type Run, requireHolder, tablesOf, updateRun } from "./run.ts";

/** A range that is not listed yet: it continues after its last stored key. */
export interface OpenRange extends KeyRange {
  readonly number: number;
}

/** Creates the table of the listing and its ranges. */
export async function createListing(
  client: pg.ClientBase,
  run: Run,
  ranges: readonly KeyRange[],
): Promise<void> {
  const bytes = (key: Key | undefined) => (key === undefined ? null : bytesOfKey(key));
  await inTransaction(client, async () => {
    await client.query(`create table ${tablesOf(run).listing} ${listingColumns}`);
    await client.query(
      `insert into uploads.source_run_ranges
         (bucket_id, source_id, run_id, number, after_key, until_key)
       select $1, $2, $3, number, after_key, until_key
       from unnest($4::bytea[], $5::bytea[]) with ordinality as r (after_key, until_key, number)`,
      [
        ...[run.bucketId, run.sourceId, run.runId],
        ranges.map(({ after }) => bytes(after)),
        ranges.map(({ until }) => bytes(until)),
      ],
    );
    await requireHolder(client, run);
  });
}

// An upload has its values, a folder its path. An unreadable file has its key and an unreadable
// directory its path, so that their rows in the index are kept.
const listingColumns = `(
  kind text not null,
  upload_id text collate "C",
  path text collate "C",
  folder_key text collate "C" generated always as (uploads.tree_key(path)) stored,
  filename text collate "C",
  filename_nfc text collate "C",
  filename_folded text collate "C",
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

/** Undefined if the run has no listing yet. */
export async function readOpenRanges(
  client: pg.ClientBase,
  { bucketId, sourceId, runId }: Run,
): Promise<OpenRange[] | undefined> {
  const { rows } = await client.query<{
    number: number;
    after: Buffer | null;
    until: Buffer | null;
    isListed: boolean;
  }>(
    `select number, coalesce(listed_until, after_key) as after, until_key as until,
       is_listed as "isListed"
     from uploads.source_run_ranges
     where bucket_id = $1 and source_id = $2 and run_id = $3 order by number`,
    [bucketId, sourceId, runId],
  );
  if (rows.length === 0) return undefined;
  const key = (bytes: Buffer | null) => (bytes === null ? undefined : keyOfBytes(bytes));
  return rows
    .filter(({ isListed }) => !isListed)
    .map(({ number, after, until }) => ({ number, after: key(after), until: key(until) }));
}

/** As it was when the run began. Undefined if the run has no listing yet. */
export async function readFirstRange(
  client: pg.ClientBase,
  { bucketId, sourceId, runId }: Run,
): Promise<{ readonly after: Key | undefined } | undefined> {
  const { rows } = await client.query<{ after: Buffer | null }>(
    `select after_key as after from uploads.source_run_ranges
     where bucket_id = $1 and source_id = $2 and run_id = $3 order by number limit 1`,
    [bucketId, sourceId, runId],
  );
  const [first] = rows;
  return first && { after: first.after === null ? undefined : keyOfBytes(first.after) };
}

/** Notes that a range is listed to its end. */
export async function closeRange(client: pg.ClientBase, run: Run, range: OpenRange): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(
      `update uploads.source_run_ranges set is_listed = true
       where bucket_id = $1 and source_id = $2 and run_id = $3 and number = $4`,
      [run.bucketId, run.sourceId, run.runId, range.number],
    );
    await requireHolder(client, run);
  });
}

/** A page as it will be stored. */
interface PreparedPage {
  readonly rows: CopiedTable<ListingRow>;
  readonly objects: number;
  readonly sizeBytes: number;
  readonly leftOut: readonly LeftOut[];
  readonly lastKey: Key;
}

/** Prepares a page without the connection, which may be storing another page meanwhile. */
export function preparePage(
  client: pg.ClientBase,
  { run, mount }: { readonly run: Run; readonly mount: Mount },
  page: ListedPage,
): PreparedPage {
  const rows = copiedTable<ListingRow>(client, tablesOf(run).listing, listingValues);
  const source = { ...mount, bucketId: run.bucketId };
  const leftOut: LeftOut[] = [...page.leftOut];
  let objects = 0;
  let sizeBytes = 0;
  for (const object of page.objects) {
    const row = rowOf(object, source);
    if (row instanceof KeyError) {
      leftOut.push({ key: object.key, reason: row.message, isUnreadable: false });
      continue;
    }
    rows.add(row);
    if (row.kind !== "upload") continue;
    objects += 1;
    sizeBytes += object.sizeBytes;
  }
  for (const { key, isUnreadable } of leftOut)
    if (isUnreadable) rows.add(unreadableRow(key, mount));
  return { rows, objects, sizeBytes, leftOut, lastKey: page.lastKey };
}

/** Stores a page and the checkpoint after it. */
export async function storePage(
  client: pg.ClientBase,
  { run, range }: { readonly run: Run; readonly range: OpenRange },
  { rows, objects, sizeBytes, leftOut, lastKey }: PreparedPage,
): Promise<void> {
  await inTransaction(client, async () => {
    await rows.send(true);
    await client.query(
      `update uploads.source_run_ranges set listed_until = $5
       where bucket_id = $1 and source_id = $2 and run_id = $3 and number = $4`,
      [run.bucketId, run.sourceId, run.runId, range.number, bytesOfKey(lastKey)],
    );
    await updateRun(client, run, addPage, [
      objects,
      sizeBytes,
      leftOut.length,
      JSON.stringify(leftOut.slice(0, examplesMax).map(exampleOf)),
    ]);
  });
}

const examplesMax = 20;

const addPage = `objects = objects + $5, size_bytes = size_bytes + $6, left_out = left_out + $7,
  left_out_examples = case when jsonb_array_length(left_out_examples) < ${examplesMax}
    then left_out_examples || $8::jsonb else left_out_examples end`;

function exampleOf({ key, reason }: LeftOut) {
  return { key: externalPathOf(key), reason };
}

/** The kinds are stored: an upload, a folder, or something that could not be read. */
type ListingRow =
  | { readonly kind: "upload"; readonly upload: ListedUpload; readonly hasTags: boolean }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "unread"; readonly path: string | null; readonly externalPath: string };

function rowOf(object: ListedObject, source: BucketMount): ListingRow | KeyError {
  try {
    const mapped = mapObject(object, source);
    if (mapped.kind === "folder") return mapped;
    return { ...mapped, hasTags: object.tags !== undefined };
  } catch (error) {
    if (error instanceof KeyError) return error;
    throw error;
  }
}

function unreadableRow(key: Key, mount: Mount): ListingRow {
  const externalPath = externalPathOf(key);
  const path = externalPath.endsWith("/") ? folderPath(key, mount) : null;
  return { kind: "unread", path, externalPath };
}

/** Null if the index cannot hold the folder. */
function folderPath(key: Key, mount: Mount): string | null {
  try {
    return pathOfKey(key, 0, mount).path;
  } catch (error) {
    if (error instanceof KeyError) return null;
    throw error;
  }
}

type ValueOfUpload = (row: { readonly upload: ListedUpload }) => CopyValue;

/** These functions read only `upload` of a record: a listed upload is enough. */
const listedValues = Object.fromEntries(
  listedColumns.map((column) => [column, uploadValues[column] as ValueOfUpload]),
) as Readonly<Record<(typeof listedColumns)[number], ValueOfUpload>>;

const ofUpload =
  (value: ValueOfUpload) =>
  (row: ListingRow): CopyValue =>
    row.kind === "upload" ? value(row) : null;

const listingValues: Readonly<Record<string, (row: ListingRow) => CopyValue>> = {
  ...Object.fromEntries(listedColumns.map((column) => [column, ofUpload(listedValues[column])])),
  kind: (row) => row.kind,
  path: (row) => (row.kind === "upload" ? listedValues.path(row) : row.path),
  tags: (row) => (row.kind === "upload" && row.hasTags ? listedValues.tags(row) : null),
  external_path: (row) =>
    row.kind === "unread" ? row.externalPath : ofUpload(listedValues.external_path)(row),
};
