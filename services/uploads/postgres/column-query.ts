import type pg from "pg";
import type { Column } from "./column.ts";
import { connectionOf, prepareValue } from "./driver-internals.ts";
import type { Statement } from "./named-parameters.ts";
import type { RawClient } from "./raw-client.ts";

/**
 * Runs a statement of one text column and returns the values as bytes. They stay in the client's
 * column until its next statement. The driver's own query makes an object of every row, which for a
 * page of fifty takes longer than everything else that it does.
 */
export function queryColumn(client: RawClient, statement: Statement): Promise<Column> {
  return new Promise((resolve, reject) => {
    client.query(new ColumnQuery(client, statement, resolve, reject));
  });
}

/** The driver calls these methods, as it does for its cursors. */
class ColumnQuery implements pg.Submittable {
  readonly name: string;
  readonly text: string;
  readonly #values: readonly unknown[];
  readonly #client: RawClient;
  readonly #resolve: (column: Column) => void;
  readonly #reject: (error: Error) => void;

  constructor(
    client: RawClient,
    { name = "", text, values }: Statement,
    resolve: (column: Column) => void,
    reject: (error: Error) => void,
  ) {
    this.#client = client;
    this.name = name;
    this.text = text;
    this.#values = values;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(): void {
    const connection = connectionOf(this.#client);
    const { name, text } = this;
    const { column } = this.#client;
    column.clear();
    this.#client.onRow = (bytes, start) => addFirst(column, bytes, start);
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

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#client.onRow = undefined;
    this.#resolve(this.#client.column);
  }

  handleError(error: Error): void {
    this.#client.onRow = undefined;
    this.#reject(error);
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
