/**
 * What a run deletes of uploads beyond what their place knows (tags, description, aliases, the time
 * of creation …) is kept, and given back when an upload with the same ID comes from a source again.
 */
import type pg from "pg";
import { columnList } from "../../postgres/copy-in.ts";
import { query } from "../../postgres/named-parameters.ts";
import { emptyUploadColumns } from "../records/column-values.ts";
import { searchedColumns, setSearchColumns } from "./keep-search-columns.ts";
import { runStatement } from "./statements.ts";

/** The columns of an upload that no place knows. */
const ownColumns = emptyUploadColumns.map(([column]) => column);

/** The columns of `deleted_uploads` that are those of the upload. */
const keptColumns = [...ownColumns, "tags", "intent_metadata", "created_at"];

/** In SQL: whether the upload has members that its place would not give back. */
export function hasOwnMembers(upload: string): string {
  const differs = emptyUploadColumns.map(
    ([column, value]) => `${upload}."${column}" is distinct from ${value}`,
  );
  return `(${differs.join(" or ")} or ${upload}.tags is not null
    or coalesce(${upload}.intent_metadata, '{}') - 's3' <> '{}')`;
}

/** In SQL: the same, or a time of creation. A store does not know that of its objects. */
function hasOwnData(upload: string): string {
  return `(${hasOwnMembers(upload)} or ${upload}.created_at <> ${upload}.updated_at and exists (
    select from uploads.sources o
    where o.source_id = ${upload}.source_id and o.kind = 's3'))`;
}

/** Keeps what the uploads of `staged_deletions` have of their own. */
export async function keepDeleted(client: pg.ClientBase): Promise<void> {
  await runStatement(client, dropEarlier);
  await runStatement(client, keep);
}

const dropEarlier = `
  delete from uploads.deleted_uploads d using staged_deletions s
  where d.bucket_number = s.bucket_number and d.upload_id = s.upload_id`;

const keep = keepRows(
  "u.upload_id",
  "staged_deletions s join uploads.uploads u using (bucket_number, upload_id)",
);

/** A statement that keeps what uploads `u` of sources have of their own under an ID. */
export function keepRows(id: string, from: string): string {
  return `
    insert into uploads.deleted_uploads
      (upload_id, bucket_number, source_id, path, filename, ${columnList(keptColumns)})
    select ${id}, u.bucket_number, u.source_id, u.path, u.filename, ${columnList(keptColumns, "u")}
    from ${from}
    where u.source_id is not null and ${hasOwnData("u")}`;
}

/**
 * Gives staged uploads of a source what was kept of them.
 *
 * @param replaces whether the merge replaces all columns; otherwise, an upload that the index has
 *   stays as it is.
 */
export async function giveBack(
  client: pg.ClientBase,
  { replaces }: { readonly replaces: boolean },
): Promise<void> {
  const { rows } = await client.query<{ hasKept: boolean }>(hasKept);
  if (!rows[0]?.hasKept) return;
  const given = await query<{ line: string }>(client, give, { replaces });
  if (given.rows.length === 0) return;
  const lines = given.rows.map(({ line }) => line);
  await setSearchColumns(client, selectSearched, { lines });
  await runStatement(client, dropGiven, { lines });
}

const hasKept = `
  select exists (
    select from uploads.deleted_uploads
    where bucket_number in (select bucket_number from staged_paths)) as "hasKept"`;

/** What is hidden stays hidden, also if its integration is gone. */
function givenValue(column: string): string {
  if (column !== "integration_id") return columnList([column], "d");
  return `(select i.integration_id from uploads.integrations i
    where i.bucket_number = d.bucket_number and i.integration_id = d.integration_id)`;
}

const give = `
  update staged_uploads s
  set (${columnList(ownColumns)}) = (${ownColumns.map(givenValue).join(", ")}),
    tags = coalesce(s.tags, d.tags),
    intent_metadata = nullif(
      coalesce(d.intent_metadata, '{}') || coalesce(s.intent_metadata, '{}'), '{}'),
    created_at = coalesce(s.created_at, d.created_at)
  from uploads.deleted_uploads d
  where d.bucket_number = s.bucket_number and d.upload_id = s.upload_id
    and (:replaces or not exists (
      select from uploads.uploads u
      where u.bucket_number = s.bucket_number and u.upload_id = s.upload_id))
  returning s.line`;

const selectSearched = `
  select ${searchedColumns("s")} from staged_uploads s where s.line = any (:lines::bigint[])`;

const dropGiven = `
  delete from uploads.deleted_uploads d using staged_uploads s
  where s.line = any (:lines::bigint[])
    and d.bucket_number = s.bucket_number and d.upload_id = s.upload_id`;

/** Ends the time for which data is kept. */
export async function dropExpired(
  client: pg.ClientBase,
  { sourceId }: { readonly sourceId: string },
  days: number,
): Promise<void> {
  await query(
    client,
    `delete from uploads.deleted_uploads where source_id = :sourceId
       and deleted_at < clock_timestamp() - :days * interval '1 day'`,
    { sourceId, days },
  );
}
