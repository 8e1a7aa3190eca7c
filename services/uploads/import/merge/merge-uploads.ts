/** The integrations and uploads of an import. Rows that would not change are not written again. */
import type pg from "pg";
import { isInSubtree } from "../../model/tree-key.ts";
import { columnList } from "../../postgres/copy-in.ts";
import { type NamedValues, query } from "../../postgres/named-parameters.ts";
import { withoutMethods } from "../../postgres/plan-settings.ts";
import { integrationValues, objectColumns, uploadValues } from "../records/column-values.ts";
import { keepSearchColumns } from "./keep-search-columns.ts";
import { countRows, type MergeCounts, mergeCounts, runOn, runStatement } from "./statements.ts";

/** Which columns of an upload an import replaces: `of objects` are those that a store knows. */
export type UploadColumns = "all" | "of objects" | "of objects with tags";

interface UploadsOptions {
  readonly uploadColumns: UploadColumns;
  readonly sourceId?: string;
  readonly madeAt?: Date | undefined;
  /** Called with the number of new uploads that are written, and of all that will be. */
  readonly onWritten?: (uploads: number, all: number) => void;
}

/** What the staged uploads are beside those of the index. */
interface Compared {
  readonly all: number;
  readonly changed: number;
  readonly new: number;
}

/** Finds the staged uploads that the index has in another form, and those that it does not have. */
export async function compareUploads(
  client: pg.ClientBase,
  { uploadColumns, sourceId, madeAt }: UploadsOptions,
): Promise<Compared> {
  const { rows } = await query<Compared>(client, compareWithIndex(uploadColumns), {
    sourceId: sourceId ?? null,
    madeAt: madeAt ?? "infinity",
  });
  const [compared] = rows as [Compared];
  if (compared.changed > 0) {
    await runStatement(client, "analyze changed_uploads");
    if (uploadColumns !== "all") await keepSearchColumns(client);
    if (sourceId !== undefined) await runStatement(client, addLeftFolders);
  }
  return compared;
}

/**
 * Writes what `compareUploads` found. A missing `created_at` is the time of the import that first
 * brought the upload, a missing `updated_at` that of the import that last changed it. The folders
 * must be merged.
 */
export async function writeUploads(
  client: pg.ClientBase,
  compared: Compared,
  { uploadColumns, sourceId, onWritten }: UploadsOptions,
): Promise<MergeCounts> {
  const source = { sourceId: sourceId ?? null };
  if (compared.changed > 0) await runStatement(client, updateChanged(uploadColumns), source);
  if (compared.new > 0) await addUploads(client, addPart(uploadColumns), source, onWritten);
  return mergeCounts(compared.all, compared.new, compared.changed);
}

/** Writes the staged integrations. */
export async function mergeIntegrations(client: pg.ClientBase): Promise<MergeCounts> {
  const changed = await runStatement(client, updateIntegrations);
  const added = await runStatement(client, addIntegrations);
  return mergeCounts(await countRows(client, "staged_integrations"), added, changed);
}

/** A subquery for the IDs of the uploads that `compareUploads` found to be new or changed. */
export const writtenUploads = `(
  select bucket_number, upload_id from changed_uploads
  union all
  select s.bucket_number, s.upload_id
  from new_uploads n join staged_uploads s on s.ctid = n.staged_row)`;

const plainColumns = Object.keys(uploadValues).filter(
  (column) => column !== "created_at" && column !== "updated_at",
);

/** Derived from the others, so they need not be compared. */
const derivedColumns: readonly string[] = ["id_prefix", "signature", "search_words"];

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
  if (column === "tags" && uploadColumns !== "all") return "nullif(coalesce(s.tags, u.tags), '{}')";
  return columnList([column], "s");
}

function replacements(columns: readonly string[], uploadColumns: UploadColumns): string {
  return columns.map((column) => replacement(column, uploadColumns)).join(", ");
}

// Of an upload that does not differ, nothing is kept.
function compareWithIndex(uploadColumns: UploadColumns): string {
  const columns = replacedColumns[uploadColumns].filter(
    (column) => !derivedColumns.includes(column),
  );
  return `
    with compared as (
      select s.ctid as staged_row, u.bucket_number, u.upload_id, u.path, u.size_bytes,
        u.upload_id is null as is_new,
        u.upload_id is not null and (
          (${columnList(columns, "u")}) is distinct from (${replacements(columns, uploadColumns)})
          or u.created_at <> s.created_at or u.updated_at <> s.updated_at
          -- A source takes over rows with the IDs of its objects.
          or u.source_id <> :sourceId::uuid or u.source_id is null and :sourceId::uuid is not null
        ) and (u.source_id is distinct from :sourceId::uuid or u.updated_at <= :madeAt)
          as is_changed
      from staged_uploads s left join uploads.uploads u using (bucket_number, upload_id)),
    changed as (
      insert into changed_uploads
      select bucket_number, upload_id, path, size_bytes from compared where is_changed),
    added as (insert into new_uploads select staged_row from compared where is_new)
    select count(*)::float8 as all, count(*) filter (where is_changed)::float8 as changed,
      count(*) filter (where is_new)::float8 as new
    from compared`;
}

// Runs look for gone rows only in the folder of their source. A row that an import moves out of it
// would belong to the source for ever.
const sourceAround = `
  select o.source_id from uploads.sources o
  where o.source_id = u.source_id
    and ${isInSubtree("uploads.tree_key(s.path)", "o.mount_key")}`;

const folderOfStaged = `join uploads.folders f
  on f.bucket_number = s.bucket_number and f.tree_key = uploads.tree_key(s.path)`;

function updateChanged(uploadColumns: UploadColumns): string {
  const columns = replacedColumns[uploadColumns];
  return `
    update uploads.uploads u
    set (${columnList(columns)}) = (${replacements(columns, uploadColumns)}),
      tree_position = f.tree_position,
      created_at = coalesce(s.created_at, u.created_at), updated_at = coalesce(s.updated_at, now()),
      source_id = coalesce(:sourceId::uuid, (${sourceAround}))
    from changed_uploads c join staged_uploads s using (bucket_number, upload_id)
    ${folderOfStaged}
    where u.bucket_number = c.bucket_number and u.upload_id = c.upload_id`;
}

// Where an object moves to another path, or a run takes back an upload that an import had moved.
const addLeftFolders = `
  insert into emptied_folders (bucket_number, path)
  select distinct c.bucket_number, c.path
  from changed_uploads c join staged_uploads s using (bucket_number, upload_id)
  where s.path <> c.path`;

/** One statement writes at most this many new uploads, so that progress shows. */
const addedAtOnce = 20_000;

// Only the keys of the uploads are sorted, not the rows.
async function addUploads(
  client: pg.ClientBase,
  addPart: string,
  source: NamedValues,
  onWritten: UploadsOptions["onWritten"],
): Promise<void> {
  const count = await runStatement(client, orderNew);
  await runStatement(client, "analyze ordered_uploads");
  // The planner would read all staged uploads for each part of them.
  await withoutMethods(runOn(client), ["hashjoin", "mergejoin"], async () => {
    for (let after = 0; after < count; after += addedAtOnce) {
      await runStatement(client, addPart, { ...source, after, until: after + addedAtOnce });
      onWritten?.(Math.min(after + addedAtOnce, count), count);
    }
  });
}

// The uploads of a folder are mostly read together, so they are stored together.
const orderNew = `
  insert into ordered_uploads (number, tree_position, staged_row)
  select row_number() over (order by s.bucket_number, f.tree_position, s.filename),
    f.tree_position, s.ctid
  from new_uploads n join staged_uploads s on s.ctid = n.staged_row ${folderOfStaged}`;

// An object is as old as its last change, if its place does not know better.
const createdAt = (uploadColumns: UploadColumns) =>
  `coalesce(s.created_at, ${uploadColumns === "all" ? "now()" : "s.updated_at"})`;

const addedValues = plainColumns
  .map((column) => (column === "tags" ? "nullif(s.tags, '{}')" : columnList([column], "s")))
  .join(", ");

const addPart = (uploadColumns: UploadColumns) => `
  insert into uploads.uploads (bucket_number, ${columnList(plainColumns)}, tree_position,
    created_at, updated_at, source_id)
  select s.bucket_number, ${addedValues}, n.tree_position,
    ${createdAt(uploadColumns)}, coalesce(s.updated_at, now()), :sourceId::uuid
  from ordered_uploads n join staged_uploads s on s.ctid = n.staged_row
  where n.number > :after and n.number <= :until
  order by n.number`;

const integrationColumns = ["bucket_number", ...Object.keys(integrationValues)];

const updateIntegrations = `
  update uploads.integrations i
  set (${columnList(integrationColumns)}) = (${columnList(integrationColumns, "s")})
  from staged_integrations s
  where i.bucket_number = s.bucket_number and i.integration_id = s.integration_id
    and (${columnList(integrationColumns, "i")})
      is distinct from (${columnList(integrationColumns, "s")})`;

const addIntegrations = `
  insert into uploads.integrations (${columnList(integrationColumns)})
  select ${columnList(integrationColumns)} from staged_integrations s
  where not exists (
    select from uploads.integrations i
    where i.bucket_number = s.bucket_number and i.integration_id = s.integration_id)`;
