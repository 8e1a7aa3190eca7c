import type pg from "pg";
import { type NamedValues, query } from "../../postgres/named-parameters.ts";
import type { RunQuery } from "../../postgres/statements.ts";

/** Runs a statement with named parameters; returns how many rows it wrote or locked. */
export async function runStatement(
  client: pg.ClientBase,
  statement: string,
  values?: NamedValues,
): Promise<number> {
  return (await query(client, statement, values)).rowCount ?? 0;
}

/** @param table one of ours, with an optional condition: `staged_folders where is_last`. */
export async function countRows(client: pg.ClientBase, table: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${table}`);
  return Number(rows[0]?.count ?? 0);
}

/** Of the folders in a table; 0 if there are none. */
export async function greatestDepth(client: pg.ClientBase, table: string): Promise<number> {
  const { rows } = await client.query<{ depth: number | null }>(
    `select max(depth) as depth from ${table}`,
  );
  return rows[0]?.depth ?? 0;
}

/** Runs statements with named parameters on the connection. */
export function runOn(client: pg.ClientBase): RunQuery {
  return async <Row extends pg.QueryResultRow>(text: string, values = {}) =>
    (await query<Row>(client, text, values)).rows;
}

/** The results of a merge for the records of one kind. */
export interface MergeCounts {
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
}

export function mergeCounts(all: number, added: number, changed: number): MergeCounts {
  return { new: added, changed, unchanged: all - added - changed };
}
