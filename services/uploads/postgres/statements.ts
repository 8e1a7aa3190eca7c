/** The ways to run a statement on a connection. */
import type pg from "pg";
import type { Sql } from "sql-template-tag";
import type { Column } from "./column.ts";
import { queryColumn } from "./column-query.ts";
import { copyOut } from "./copy-out.ts";
import { databaseError } from "./database-error.ts";
import type { Statement } from "./named-parameters.ts";
import type { RawClient } from "./raw-client.ts";

/** Runs one statement and returns its rows. */
export type RunQuery = <Row extends pg.QueryResultRow>(statement: Statement) => Promise<Row[]>;

/**
 * Runs one statement and returns its only column, of text, as bytes, which takes less time. They
 * are valid until the next statement, or until the work of the read ends. If `isEnough` returns
 * true after a row, no further row is read, and no further statement can be run on the connection.
 */
export type ReadColumn = (
  statement: Statement,
  isEnough?: (column: Column) => boolean,
) => Promise<Column>;

/**
 * Runs one statement and passes its rows on as they arrive, in the messages of a binary COPY.
 * `afterChunk` runs after the messages of one chunk. The next is not read until it settles, which
 * slows the database down. An error of `onMessage` or `afterChunk` ends the statement.
 */
export type Copy = (
  statement: Sql,
  onMessage: (message: Buffer) => void,
  afterChunk: () => Promise<void>,
) => Promise<void>;

/** The statements of one connection. */
export interface Statements {
  readonly run: RunQuery;
  readonly copy: Copy;
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
    run: <Row extends pg.QueryResultRow>(statement: Statement) =>
      send(() => queryRows<Row>(client, statement)),
    readColumn: (statement, isEnough) => send(() => queryColumn(client, statement, isEnough)),
    async copy(statement, onMessage, afterChunk) {
      signal.throwIfAborted();
      await copyOut(client, statement, signal, { onMessage, afterChunk });
    },
  };
}

function queryRows<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  { name, text, values }: Statement,
): Promise<Row[]> {
  // The driver's own promise would keep the result in memory until a full garbage collection.
  return new Promise((resolve, reject) => {
    void client.query(
      { name, text, values },
      (error: Error | null, result: pg.QueryResult<Row>) => {
        if (error) reject(error);
        else resolve(result.rows);
      },
    );
  });
}
