/** The integrations and uploads of an import. Rows that would not change are not written again. */
import type pg from "pg";
import { columnList } from "../../postgres/copy-in.ts";
import { integrationValues, uploadValues } from "../records/column-values.ts";
import { runCountedInsert } from "./bucket-sizes.ts";
import { countRows, type MergeCounts, mergeCounts, runStatement } from "./statements.ts";

/** Which columns of an upload an import replaces: `of files` are those that a file system knows. */
export type UploadColumns = "all" | "of files";

/**
 * Writes the staged uploads. A missing `created_at` is the time of the import that first brought
 * the upload, a missing `updated_at` that of the import that last changed it. Foreign keys must be
 * deferred.
 */
export async function mergeUploads(
  client: pg.ClientBase,
  { uploadColumns }: { readonly uploadColumns: UploadColumns },
): Promise<MergeCounts> {
  const changed = await runStatement(client, updateUploads(replacedColumns[uploadColumns]));
  const added = await runCountedInsert(client, "uploads", addUploads);
  return mergeCounts(await countRows(client, "staged_uploads"), added, changed);
}

/** Writes the staged integrations. */
export async function mergeIntegrations(client: pg.ClientBase): Promise<MergeCounts> {
  const changed = await runStatement(client, updateIntegrations);
  const added = await runStatement(client, addIntegrations);
  return mergeCounts(await countRows(client, "staged_integrations"), added, changed);
}

const plainColumns = Object.keys(uploadValues).filter(
  (column) => column !== "created_at" && column !== "updated_at",
);

const replacedColumns: Record<UploadColumns, readonly string[]> = {
  all: plainColumns,
  "of files": [
    "path",
    "filename",
    "filename_nfc",
    "filename_folded",
    "size_bytes",
    "type",
  ] satisfies (keyof typeof uploadValues)[],
};

function updateUploads(columns: readonly string[]): string {
  return `
    update uploads.uploads u
    set (${columnList(columns)}) = (${columnList(columns, "s")}),
      created_at = coalesce(s.created_at, u.created_at), updated_at = coalesce(s.updated_at, now())
    from staged_uploads s
    where u.bucket_id = s.bucket_id and u.upload_id = s.upload_id and (
      (${columnList(columns, "u")}) is distinct from (${columnList(columns, "s")})
      or u.created_at <> s.created_at or u.updated_at <> s.updated_at)`;
}

// The uploads of a folder are mostly read together, so they are stored together.
const addUploads = `
  insert into uploads.uploads (${columnList(plainColumns)}, created_at, updated_at)
  select ${columnList(plainColumns)}, coalesce(created_at, now()), coalesce(updated_at, now())
  from staged_uploads s
  where not exists (
    select from uploads.uploads u where u.bucket_id = s.bucket_id and u.upload_id = s.upload_id)
  order by bucket_id, path, filename`;

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
