import type pg from "pg";
import { type NamedValues, query } from "../../postgres/named-parameters.ts";
import { type Searched, searchColumns } from "../records/column-values.ts";

/**
 * An object has no slug and may have no tags; an upload that it changes keeps those that it has. So
 * what that upload is searched by is derived anew, from what it will have.
 */
export async function keepSearchColumns(client: pg.ClientBase): Promise<void> {
  await setSearchColumns(client, keptRows);
}

/**
 * Derives what staged uploads are searched by.
 *
 * @param select the `searchedColumns` of these uploads.
 */
export async function setSearchColumns(
  client: pg.ClientBase,
  select: string,
  values?: NamedValues,
): Promise<void> {
  const { rows } = await query<SearchedRow>(client, select, values);
  if (rows.length === 0) return;
  const columns = rows.map((row) =>
    searchColumns({ ...row, slug: row.slug ?? undefined, tags: row.tags ?? [] }),
  );
  await query(client, setColumns, {
    lines: rows.map(({ line }) => line),
    signatures: columns.map(({ signature }) => signature.toString()),
    searchWords: columns.map(({ search_words: words }) => words),
  });
}

interface SearchedRow extends Pick<Searched, "filename" | "isHidden"> {
  readonly line: string;
  readonly slug: string | null;
  readonly tags: readonly string[] | null;
}

/**
 * What a staged upload `s` will be searched by, in SQL.
 *
 * @param own the row with its slug and with whether it is hidden.
 */
export function searchedColumns(own: string, tags = "s.tags"): string {
  return `s.line, coalesce(s.filename_folded, s.filename) as filename,
    coalesce(${own}.slug_folded, ${own}.slug) as slug, ${tags} as tags,
    ${own}.integration_hidden as "isHidden"`;
}

// What is staged without tags keeps those of the upload, or is staged with them.
const keptRows = `
  select ${searchedColumns("u", "coalesce(s.tags, u.tags)")}
  from changed_uploads c
  join staged_uploads s using (bucket_number, upload_id)
  join uploads.uploads u using (bucket_number, upload_id)
  where u.slug is not null or s.tags is not null or u.tags is not null or u.integration_hidden`;

const setColumns = `
  update staged_uploads s set signature = n.signature, search_words = n.search_words
  from unnest(:lines::bigint[], :signatures::bigint[], :searchWords::text[])
    as n (line, signature, search_words)
  where s.line = n.line`;
