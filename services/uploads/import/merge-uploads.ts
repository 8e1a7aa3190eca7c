import type pg from "pg";
import { runCountedInsert } from "./bucket-sizes.ts";
import { type MergeCounts, mergeCounts } from "./merge-counts.ts";
import { countRows, runStatement } from "./run-statement.ts";
import { columnList, uploadValues } from "./written-values.ts";

/** Which columns of a known upload an import replaces. */
export type UploadReplacement = "all" | "what a directory tells";

/**
 * Writes the staged uploads. What is equal is not written again. A time that was left out is that
 * of the import: as `created_at` of the one that first brought the upload, as `updated_at` of the
 * last that changed it. Foreign keys must be deferred.
 */
export async function mergeUploads(
  client: pg.ClientBase,
  replacement: UploadReplacement,
): Promise<MergeCounts> {
  const changed = await runStatement(client, updateChanged(replacedColumns[replacement]));
  const made = await runCountedInsert(client, "uploads", addNew);
  const all = await countRows(client, "staged_uploads");
  return mergeCounts(all, made, changed);
}

const plainColumns = Object.keys(uploadValues).filter(
  (column) => column !== "created_at" && column !== "updated_at",
);

const replacedColumns: Record<UploadReplacement, readonly string[]> = {
  all: plainColumns,
  "what a directory tells": [
    "path",
    "filename",
    "filename_nfc",
    "filename_folded",
    "size_bytes",
    "type",
  ] satisfies (keyof typeof uploadValues)[],
};

function updateChanged(columns: readonly string[]): string {
  return `
    update uploads.uploads u
    set (${columnList(columns)}) = (${columnList(columns, "s")}),
      created_at = coalesce(s.created_at, u.created_at), updated_at = coalesce(s.updated_at, now())
    from staged_uploads s
    where u.bucket_id = s.bucket_id and u.upload_id = s.upload_id and (
      (${columnList(columns, "u")}) is distinct from (${columnList(columns, "s")})
      or u.created_at <> s.created_at or u.updated_at <> s.updated_at)`;
}

// A folder's uploads lie together on disk: that is how they are mostly read.
const addNew = `
  insert into uploads.uploads (${columnList(plainColumns)}, created_at, updated_at)
  select ${columnList(plainColumns)}, coalesce(created_at, now()), coalesce(updated_at, now())
  from staged_uploads s
  where not exists (
    select from uploads.uploads u where u.bucket_id = s.bucket_id and u.upload_id = s.upload_id)
  order by bucket_id, path, filename`;
