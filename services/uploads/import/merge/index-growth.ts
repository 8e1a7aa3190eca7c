/** Counts the rows that a merge adds and removes: sizes and totals change by these counts. */
import type pg from "pg";
import { type NamedValues, query } from "../../postgres/named-parameters.ts";

/** The table that a statement writes, and whether it adds or removes rows. */
interface Written {
  readonly things: "folders" | "uploads";
  readonly by: "insert" | "delete";
}

/**
 * Runs an `insert` or `delete` that may begin with `with`, and adds what it wrote to
 * `index_growth`. Returns how many rows it wrote.
 */
export async function runAndCount(
  client: pg.ClientBase,
  { things, by }: Written,
  statement: string,
  values?: NamedValues,
): Promise<number> {
  const sign = by === "insert" ? "" : "-";
  const growth =
    things === "folders"
      ? `insert into index_growth (bucket_id, folders)
         select bucket_id, ${sign}count(*) from written group by bucket_id`
      : `insert into index_growth (bucket_id, path, uploads, size_bytes)
         select bucket_id, path, ${sign}count(*), ${sign}sum(size_bytes)
         from written group by bucket_id, path`;
  const columns = things === "folders" ? "bucket_id" : "bucket_id, path, size_bytes";
  const table = by === "insert" ? "" : `${alias[things]}.`;
  const returned = columns.replaceAll(/\w+/g, (column) => `${table}${column}`);
  const { rows } = await query<{ count: string }>(
    client,
    `with written as (${statement} returning ${returned}), counted as (${growth})
     select count(*) from written`,
    values,
  );
  return Number(rows[0]?.count);
}

/** The names that statements give to the tables. */
const alias = { folders: "f", uploads: "u" };
