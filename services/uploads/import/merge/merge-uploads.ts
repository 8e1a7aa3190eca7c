/** The integrations and uploads of an import. Rows that would not change are not written again. */
import type pg from "pg";
import { isInSubtree } from "../../model/tree-key.ts";
import { columnList } from "../../postgres/copy-in.ts";
import { type NamedValues, query } from "../../postgres/named-parameters.ts";
import { withoutMethods } from "../../postgres/plan-settings.ts";
import { integrationValues, objectColumns, uploadValues } from "../records/column-values.ts";
import { runAndCount } from "./index-growth.ts";
import { countRows, type MergeCounts, mergeCounts, runOn, runStatement } from "./statements.ts";

/** Which columns of an upload an import replaces: `of objects` are those that a store knows. */
export type UploadColumns = "all" | "of objects" | "of objects with tags";

interface UploadsOptions {
  readonly uploadColumns: UploadColumns;
  readonly sourceId?: string;
  /** Called with the number of new uploads that are written, and of all that will be. */
  readonly onWritten?: (uploads: number, all: number) => void;
}

/**
 * Writes the staged uploads. A missing `created_at` is the time of the import that first brought
 * the upload, a missing `updated_at` that of the import that last changed it. Foreign keys must be
 * deferred.
 */
export async function mergeUploads(
  client: pg.ClientBase,
  { uploadColumns, sourceId, onWritten }: UploadsOptions,
): Promise<MergeCounts> {
  const source = { sourceId: sourceId ?? null };
  const columns = replacedColumns[uploadColumns];
  const values = columns.map((column) => replacement(column, uploadColumns)).join(", ");
  const { known, changed } = await compareWithIndex(client, columns, values, source);
  if (changed > 0) {
    await runStatement(client, "analyze changed_uploads");
    await runStatement(client, updateChanged(columns, values), source);
    await runStatement(client, countChanged);
    if (sourceId !== undefined) await runStatement(client, addLeftFolders);
  }
  const all = await countRows(client, "staged_uploads");
  const added = known < all ? await addUploads(client, source, onWritten) : 0;
  return mergeCounts(all, added, changed);
}

/** Writes the staged integrations. */
export async function mergeIntegrations(client: pg.ClientBase): Promise<MergeCounts> {
  const changed = await runStatement(client, updateIntegrations);
  const added = await runStatement(client, addIntegrations);
  return mergeCounts(await countRows(client, "staged_integrations"), added, changed);
}

/** A subquery for the IDs of the uploads that `mergeUploads` added or changed. */
export const writtenUploads = `(
  select bucket_id, upload_id from changed_uploads
  union all
  select s.bucket_id, s.upload_id
  from new_uploads n join staged_uploads s on s.ctid = n.staged_row)`;

const plainColumns = Object.keys(uploadValues).filter(
  (column) => column !== "created_at" && column !== "updated_at",
);

const replacedColumns: Record<UploadColumns, readonly string[]> = {
  all: plainColumns,
  "of objects": objectColumns,
  "of objects with tags": [...objectColumns, "tags"],
};

/** The value that a staged upload `s` gives to a column of the upload `u` in the index. */
function replacement(column: string, uploadColumns: UploadColumns): string {
  // A store knows one member of the metadata. The others stay.
  const isMerged = column === "intent_metadata" && uploadColumns !== "all";
  if (isMerged) {
    return `nullif(coalesce(u.intent_metadata, '{}') || coalesce(s.intent_metadata, '{}'), '{}')`;
  }
  return columnList([column], "s");
}

// Runs look for gone rows only in the folder of their source. A row that an import moves out of it
// would belong to the source for ever.
const sourceAround = `
  select o.source_id from uploads.sources o
  where o.bucket_id = u.bucket_id and o.source_id = u.source_id
    and ${isInSubtree("uploads.tree_key(s.path)", "o.mount_key")}`;

/** Counts the staged uploads that the index has, and collects those of them that differ. */
async function compareWithIndex(
  client: pg.ClientBase,
  columns: readonly string[],
  values: string,
  source: NamedValues,
): Promise<{ readonly known: number; readonly changed: number }> {
  // Of an upload that does not differ, only a null is kept.
  const { rows } = await query<{ known: string; changed: string }>(
    client,
    `with known as (
       select case when (${columnList(columns, "u")}) is distinct from (${values})
           or u.created_at <> s.created_at or u.updated_at <> s.updated_at
           -- A source takes over rows with the IDs of its objects.
           or u.source_id <> :sourceId::uuid or u.source_id is null and :sourceId::uuid is not null
         then row(u.bucket_id, u.upload_id, u.path, u.size_bytes)::changed_uploads end as changed
       from uploads.uploads u join staged_uploads s using (bucket_id, upload_id)),
     collected as (
       insert into changed_uploads select (changed).* from known where changed is not null)
     select count(*) as known, count(changed) as changed from known`,
    source,
  );
  const [counts] = rows as [{ known: string; changed: string }];
  return { known: Number(counts.known), changed: Number(counts.changed) };
}

function updateChanged(columns: readonly string[], values: string): string {
  return `
    update uploads.uploads u
    set (${columnList(columns)}) = (${values}),
      created_at = coalesce(s.created_at, u.created_at), updated_at = coalesce(s.updated_at, now()),
      source_id = coalesce(:sourceId::uuid, (${sourceAround}))
    from changed_uploads c join staged_uploads s using (bucket_id, upload_id)
    where u.bucket_id = c.bucket_id and u.upload_id = c.upload_id`;
}

const countChanged = `
  insert into index_growth (bucket_id, path, uploads, size_bytes)
  select bucket_id, path, sum(uploads), sum(size_bytes) from (
    select c.bucket_id, c.path, -1 as uploads, -c.size_bytes as size_bytes from changed_uploads c
    union all
    select u.bucket_id, u.path, 1, u.size_bytes
    from changed_uploads c join uploads.uploads u using (bucket_id, upload_id)) rows
  group by bucket_id, path having sum(uploads) <> 0 or sum(size_bytes) <> 0`;

// Where an object moves to another path, or a run takes back an upload that an import had moved.
const addLeftFolders = `
  insert into emptied_folders (bucket_id, path)
  select distinct c.bucket_id, c.path
  from changed_uploads c join uploads.uploads u using (bucket_id, upload_id)
  where u.path <> c.path`;

/** One statement writes at most this many new uploads, so that progress shows. */
const addedAtOnce = 20_000;

// Only the keys of the uploads are sorted, not the rows.
async function addUploads(
  client: pg.ClientBase,
  source: NamedValues,
  onWritten: UploadsOptions["onWritten"],
): Promise<number> {
  const count = await runStatement(client, orderNew);
  await runStatement(client, "analyze new_uploads");
  // The planner would read all staged uploads for each part of them.
  await withoutMethods(runOn(client), ["hashjoin", "mergejoin"], async () => {
    for (let after = 0; after < count; after += addedAtOnce) {
      const range = { ...source, after, until: after + addedAtOnce };
      await runAndCount(client, { things: "uploads", by: "insert" }, addPart, range);
      onWritten?.(Math.min(after + addedAtOnce, count), count);
    }
  });
  return count;
}

// The uploads of a folder are mostly read together, so they are stored together.
const orderNew = `
  insert into new_uploads (number, staged_row)
  select row_number() over (order by bucket_id, path, filename), s.ctid
  from staged_uploads s
  where not exists (
    select from uploads.uploads u where u.bucket_id = s.bucket_id and u.upload_id = s.upload_id)`;

const addPart = `
  insert into uploads.uploads (${columnList(plainColumns)}, created_at, updated_at, source_id)
  select ${columnList(plainColumns)}, coalesce(created_at, now()), coalesce(updated_at, now()),
    :sourceId::uuid
  from new_uploads n join staged_uploads s on s.ctid = n.staged_row
  where n.number > :after and n.number <= :until
  order by n.number`;

const integrationColumns = Object.keys(integrationValues);

const updateIntegrations = `
  update uploads.integrations i
  set (${columnList(integrationColumns)}) = (${columnList(integrationColumns, "s")})
  from staged_integrations s
  where i.bucket_id = s.bucket_id and i.integration_id = s.integration_id
    and (${columnList(integrationColumns, "i")})
      is distinct from (${columnList(integrationColumns, "s")})`;

const addIntegrations = `
  insert into uploads.integrations (${columnList(integrationColumns)})
  select ${columnList(integrationColumns)} from staged_integrations s
  where not exists (
    select from uploads.integrations i
    where i.bucket_id = s.bucket_id and i.integration_id = s.integration_id)`;
