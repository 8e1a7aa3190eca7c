/**
 * A schema as text: what its migrations add up to, for people to read and for a test to compare.
 *
 * The text comes from the catalogues, in SQL-like form, and is the same for the same schema on
 * every PostgreSQL from 15 on. The table of the migrations themselves is left out.
 *
 * @throws for a schema with views, whose text is not the same everywhere.
 */
import type pg from "pg";
import {
  type ColumnRow,
  columnsQuery,
  constraintsQuery,
  type PartRow,
  statementsQuery,
  type TableRow,
  tablesQuery,
  viewsQuery,
} from "./catalogue-queries.ts";
import { withClient } from "./test-database.ts";

export async function describeSchema(databaseUrl: string, schema: string): Promise<string> {
  return await withClient(databaseUrl, async (client) => {
    // With nothing on the path, PostgreSQL writes every name in full.
    await client.query("set search_path = ''");
    await refuseViews(client, schema);
    const tables = await client.query<TableRow>(tablesQuery, [schema]);
    const columns = await client.query<ColumnRow>(columnsQuery, [schema]);
    const constraints = await client.query<PartRow>(constraintsQuery, [schema]);
    const statements = await client.query<{ text: string }>(statementsQuery, [schema]);
    const texts = [
      ...tables.rows.map((table) => describeTable(table, columns.rows, constraints.rows)),
      ...statements.rows.map(({ text }) => `${text.trimEnd()};\n`),
    ];
    return texts.join("\n");
  });
}

async function refuseViews(client: pg.Client, schema: string): Promise<void> {
  const [view] = (await client.query<{ name: string }>(viewsQuery, [schema])).rows;
  if (view === undefined) return;
  throw new Error(
    `Cannot describe view ${view.name}: each PostgreSQL writes its query differently`,
  );
}

function describeTable(
  table: TableRow,
  columns: readonly ColumnRow[],
  constraints: readonly PartRow[],
): string {
  const parts = [
    ...columns.filter((column) => column.table === table.name).map(describeColumn),
    ...constraints.filter((part) => part.table === table.name).map(({ text }) => text),
  ];
  const lines = parts.map((part) => `  ${part}`).join(",\n");
  return `CREATE ${table.kind} ${table.name} (\n${lines}\n)${table.suffix};\n`;
}

function describeColumn(column: ColumnRow): string {
  const parts = [
    `${column.name} ${column.type}`,
    column.collation && `COLLATE ${column.collation}`,
    column.storage && `STORAGE ${column.storage}`,
    column.compression && `COMPRESSION ${column.compression}`,
    column.statistics !== null && `STATISTICS ${column.statistics}`,
    column.value,
    column.isRequired && "NOT NULL",
  ];
  return parts.filter(Boolean).join(" ");
}
