import type pg from "pg";
import type { Column } from "./column.ts";
import { connectionOf, prepareValue } from "./driver-internals.ts";
import type { Statement } from "./named-parameters.ts";
import type { RawClient } from "./raw-client.ts";

/**
 * Runs a statement of one text column and returns the values as bytes. They stay in the client's
 * column until its next statement. The driver's own query makes an object of every row, which for a
 * page of fifty takes longer than everything else that it does.
 *
 * @param isEnough looks at the values after each row. If it returns true, the column is returned,
 *   and the rows that follow are dropped. The statement is then still running.
 */
export function queryColumn(
  client: RawClient,
  statement: Statement,
  isEnough: (column: Column) => boolean = () => false,
): Promise<Column> {
  return new Promise((resolve, reject) => {
    client.query(new ColumnQuery(client, statement, isEnough, { resolve, reject }));
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
  readonly #values: readonly unknown[];
  readonly #client: RawClient;
  readonly #isEnough: (column: Column) => boolean;
  readonly #result: Result;

  constructor(
    client: RawClient,
    { name = "", text, values }: Statement,
    isEnough: (column: Column) => boolean,
    result: Result,
  ) {
    this.#client = client;
    this.name = name;
    this.text = text;
    this.#values = values;
    this.#isEnough = isEnough;
    this.#result = result;
  }

  submit(): void {
    const connection = connectionOf(this.#client);
    const { name, text } = this;
    this.#client.column.clear();
    this.#client.onRow = (bytes, start) => this.#addRow(bytes, start);
    connection.stream.cork();
    try {
      if (name === "" || connection.parsedStatements[name] === undefined) {
        connection.parse({ name, text });
      }
      connection.bind({ statement: name, values: this.#values, valueMapper: prepareValue });
      // No description of the columns is needed: there is one, and it is text.
      connection.execute({});
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  #addRow(bytes: Buffer, start: number): void {
    const { column } = this.#client;
    addFirst(column, bytes, start);
    if (!this.#isEnough(column)) return;
    this.#client.onRow = () => {};
    this.#result.resolve(column);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#client.onRow = undefined;
    this.#result.resolve(this.#client.column);
  }

  handleError(error: Error): void {
    this.#client.onRow = undefined;
    this.#result.reject(error);
  }
}

/** Of the number of values, and of the length of a value. */
const countBytes = 2;
const lengthBytes = 4;

/** Adds the first value of the row that begins at `start`. The length of null is -1. */
function addFirst(column: Column, bytes: Buffer, start: number): void {
  const length = bytes.readInt32BE(start + countBytes);
  const valueStart = start + countBytes + lengthBytes;
  if (length === -1) column.addNull();
  else column.add(bytes, valueStart, valueStart + length);
}
