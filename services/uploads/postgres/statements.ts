/** The ways to run a statement on a connection. */
import type pg from "pg";
import type { Column } from "./column.ts";
import { type ColumnReader, queryColumn } from "./column-query.ts";
import { databaseError } from "./database-error.ts";
import { bindParameters, type NamedValues, type Statement } from "./named-parameters.ts";
import type { RawClient } from "./raw-client.ts";
import { type RowListener, streamRows } from "./row-stream.ts";

/** Runs one statement with named parameters and returns its rows. */
export type RunQuery = <Row extends pg.QueryResultRow>(
  text: string,
  values?: NamedValues,
) => Promise<Row[]>;

/**
 * Runs one statement and returns a value of each row as bytes, which takes less time. They are
 * valid until the next statement, or until the work of the read ends. If the reader has enough
 * after a row, no further row is read, and no further statement can be run on the connection.
 */
export type ReadColumn = (statement: Statement, reader?: ColumnReader) => Promise<Column>;

/**
 * Runs one statement with named parameters and passes its rows on as they arrive, for `BinaryRow`.
 * The database prepares only a few rows in advance. An error of the listener ends the statement.
 */
export type StreamRows = (text: string, values: NamedValues, rows: RowListener) => Promise<void>;

/** The statements of one connection. */
export interface Statements {
  readonly run: RunQuery;
  readonly stream: StreamRows;
  readonly readColumn: ReadColumn;
}

/**
 * @param signal once it has aborted, statements throw its reason before they begin: the connection
 *   may then be that of another call.
 */
export function statementsOn(client: RawClient, signal: AbortSignal): Statements {
  async function send<Result>(query: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    try {
      return await query();
    } catch (error) {
      throw databaseError(error);
    }
  }
  return {
    run: <Row extends pg.QueryResultRow>(text: string, values: NamedValues = {}) =>
      send(() => queryRows<Row>(client, bindParameters(text, values))),
    readColumn: (statement, reader) => send(() => queryColumn(client, statement, reader)),
    async stream(text, values, rows) {
      signal.throwIfAborted();
      await streamRows(client, bindParameters(text, values), signal, rows);
    },
  };
}

function queryRows<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  { text, values }: Statement,
): Promise<Row[]> {
  // The driver's own promise would keep the result in memory until a full garbage collection.
  return new Promise((resolve, reject) => {
    void client.query(text, values, (error: Error | null, result: pg.QueryResult<Row>) => {
      if (error) reject(error);
      else resolve(result.rows);
    });
  });
}
