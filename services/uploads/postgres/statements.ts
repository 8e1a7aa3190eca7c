import type pg from "pg";
import type { Sql } from "sql-template-tag";
import type { Column } from "./column.ts";
import { queryColumn } from "./column-query.ts";
import { runCopyOut } from "./copy-out.ts";
import { literalText } from "./literal-text.ts";
import { preparedName } from "./prepared-statements.ts";

/** Runs one statement and gives its rows. */
export type Run = <Row extends pg.QueryResultRow>(
  statement: Sql,
  options?: RunOptions,
) => Promise<Row[]>;

/**
 * Runs one statement and gives its only column, of texts, as it came: that takes less time. It
 * stays as it is until the next statement, or until the connection is given back.
 */
export type ReadColumn = (statement: Statement, options?: RunOptions) => Promise<Column>;

/** Text with `$1` and so on, and what these stand for. */
export type Statement = Pick<Sql, "text" | "values">;

export interface RunOptions {
  /** Of a statement that comes often, the server keeps text and plan: one text a shape. */
  readonly prepared?: boolean;
}

/**
 * Runs one statement and gives its rows as they come, in the messages of a binary COPY, without
 * holding them. `taken` runs after those that came together, and holds up the next, and the
 * database with them. What `take` or `taken` throws ends the statement.
 */
export type Copy = (
  statement: Sql,
  take: (message: Buffer) => void,
  taken: () => Promise<void>,
) => Promise<void>;

/** The ways to run statements, all on one connection. */
export interface Statements {
  readonly run: Run;
  readonly copy: Copy;
  readonly readColumn: ReadColumn;
}

/**
 * @param signal when it has aborted, statements throw its reason before they begin.
 * @param onFailure hears of a statement that failed. Where `isUnderWay`, it has not ended.
 */
export function statementsOn(
  client: pg.ClientBase,
  signal: AbortSignal,
  onFailure: (isUnderWay: boolean) => void,
): Statements {
  async function send<Answer>(
    query: (client: pg.ClientBase, config: QueryConfig) => Promise<Answer>,
    { text, values }: Statement,
    { prepared = false }: RunOptions = {},
  ): Promise<Answer> {
    signal.throwIfAborted();
    try {
      const name = prepared ? preparedName(client, text) : undefined;
      return await query(client, { name, text, values });
    } catch (error) {
      onFailure(false);
      throw error;
    }
  }
  return {
    run: <Row extends pg.QueryResultRow>(statement: Sql, options?: RunOptions) =>
      send<Row[]>(queryRows, statement, options),
    readColumn: (statement, options) => send(queryColumn, statement, options),
    async copy(statement, take, taken) {
      signal.throwIfAborted();
      const text = `copy (${literalText(statement)}) to stdout (format binary)`;
      try {
        await runCopyOut(client, text, take, taken);
      } catch (error) {
        onFailure(true);
        throw error;
      }
    },
  };
}

interface QueryConfig {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: unknown[];
}

function queryRows<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  config: QueryConfig,
): Promise<Row[]> {
  // With a promise of the driver's own, what a query brought lives on until a full collection.
  return new Promise((resolve, reject) => {
    void client.query(config, (error: Error | null, result: pg.QueryResult<Row>) => {
      if (error) reject(error);
      else resolve(result.rows);
    });
  });
}
