import pg from "pg";
import { BinaryRow } from "./binary-row.ts";
import type { Column } from "./column.ts";
import { connectionOf, prepareValue } from "./driver-internals.ts";
import type { Statement } from "./named-parameters.ts";
import type { RawClient } from "./raw-client.ts";

/** What a statement's rows become. */
export interface ColumnReader {
  /** Adds the value of a row. The row is valid until the call returns. Default: its first text. */
  readonly addRow?: (column: Column, row: BinaryRow) => void;
  /**
   * Looks at the values after each row. If it returns true, the column is returned, and the rows
   * that follow are dropped. The statement is then still running.
   */
  readonly isEnough?: (column: Column) => boolean;
}

/**
 * Runs a statement and returns a value of each row as bytes. They stay in the client's column until
 * its next statement. The driver's own query makes an object of every row, which for a page of
 * fifty takes longer than everything else that it does.
 */
export function queryColumn(
  client: RawClient,
  statement: Statement,
  reader: ColumnReader = {},
): Promise<Column> {
  return new Promise((resolve, reject) => {
    client.query(new ColumnQuery(client, statement, reader, { resolve, reject }));
  });
}

interface Result {
  readonly resolve: (column: Column) => void;
  readonly reject: (error: Error) => void;
}

/** The driver calls these methods, as it does for its cursors. */
class ColumnQuery implements pg.Submittable {
  readonly name: string;
  readonly text: string;
  /** The driver sets it, to stop its `query_timeout` at the end. */
  callback?: () => void;
  readonly #values: readonly unknown[];
  readonly #client: RawClient;
  readonly #addRow: (column: Column, row: BinaryRow) => void;
  readonly #isEnough: (column: Column) => boolean;
  readonly #row = new BinaryRow();
  readonly #result: Result;

  constructor(
    client: RawClient,
    { name = "", text, values }: Statement,
    { addRow = addFirst, isEnough = () => false }: ColumnReader,
    result: Result,
  ) {
    this.#client = client;
    this.name = name;
    this.text = text;
    this.#values = values;
    this.#addRow = addRow;
    this.#isEnough = isEnough;
    this.#result = result;
  }

  submit(): void {
    const connection = connectionOf(this.#client);
    const { name, text } = this;
    this.#client.column.clear();
    this.#client.onRow = (bytes, start) => this.#take(bytes, start);
    connection.stream.cork();
    try {
      if (name === "" || connection.parsedStatements[name] === undefined) {
        connection.parse({ name, text });
      }
      connection.bind({
        statement: name,
        values: this.#values,
        valueMapper: prepareValue,
        binary: true,
      });
      // No description of the columns is needed: who reads them knows it.
      connection.execute({});
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  #take(bytes: Buffer, start: number): void {
    const { column } = this.#client;
    try {
      this.#row.read(bytes, start);
      this.#addRow(column, this.#row);
      if (!this.#isEnough(column)) return;
    } catch (error) {
      this.#client.onRow = () => {};
      this.#result.reject(error as Error);
      return;
    }
    this.#client.onRow = () => {};
    this.#result.resolve(column);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback?.();
    this.#client.onRow = undefined;
    this.#result.resolve(this.#client.column);
  }

  handleError(error: Error): void {
    this.callback?.();
    this.#client.onRow = undefined;
    // The statement may still be running, and there is nobody left for its rows.
    if (!(error instanceof pg.DatabaseError)) connectionOf(this.#client).stream.destroy();
    this.#result.reject(error);
  }
}

/** Adds the first value of a row, a text. */
export function addFirst(column: Column, row: BinaryRow): void {
  const text = row.text(0);
  if (text === undefined) column.addNull();
  else column.add(text);
}
