import type pg from "pg";
import type { Sql } from "sql-template-tag";
import type { Run } from "../postgres/database.ts";

/** Runs a statement of ours and returns how many rows it wrote or locked. */
export async function runStatement(client: pg.ClientBase, statement: string): Promise<number> {
  return (await client.query(statement)).rowCount ?? 0;
}

/** @param table one of ours, with a condition where wanted: `staged_folders where is_last`. */
export async function countRows(client: pg.ClientBase, table: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${table}`);
  return Number(rows[0]?.count ?? 0);
}

/** Runs statements with values on the connection. */
export function runOn(client: pg.ClientBase): Run {
  return async <Row extends pg.QueryResultRow>({ text, values }: Sql) =>
    (await client.query<Row>(text, values)).rows;
}
