import pg from "pg";
import { Column } from "./column.ts";
import { type RowTap, tapOf } from "./raw-row-reader.ts";

/**
 * Runs a statement of one column and gives the column, its values as the server writes them: text
 * in UTF-8, or null. They stay until the connection runs another statement. The driver's own query
 * makes an object of every row, which for a page of fifty takes longer than all else that it does.
 *
 * @param config with a name, the statement is kept by the server under it.
 */
export function queryColumn(
  client: pg.ClientBase,
  config: {
    readonly name: string | undefined;
    readonly text: string;
    readonly values: readonly unknown[];
  },
): Promise<Column> {
  return new Promise((resolve, reject) => {
    client.query(new ColumnQuery(config, columnOf(client), resolve, reject));
  });
}

/** The parts of the driver's connection that are used here. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(statement: { name: string; text: string }): void;
  bind(portal: {
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
  }): void;
  execute(portal: object): void;
  sync(): void;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils;

/** By these names the driver calls what it runs, cursors for example. */
class ColumnQuery implements pg.Submittable {
  readonly name: string;
  readonly text: string;
  readonly #values: readonly unknown[];
  readonly #resolve: (column: Column) => void;
  readonly #reject: (error: Error) => void;
  readonly #column: Column;
  #tap: RowTap | undefined;

  constructor(
    { name = "", text, values }: Parameters<typeof queryColumn>[1],
    column: Column,
    resolve: (column: Column) => void,
    reject: (error: Error) => void,
  ) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.#column = column;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(given: pg.Connection): void {
    const connection = given as unknown as Connection;
    const { name, text } = this;
    this.#column.clear();
    this.#tap = tapOf(connection);
    if (this.#tap !== undefined) {
      this.#tap.take = (bytes, start) => addFirst(this.#column, bytes, start);
    }
    connection.stream.cork();
    try {
      if (name === "" || connection.parsedStatements[name] === undefined) {
        connection.parse({ name, text });
      }
      connection.bind({ statement: name, values: this.#values, valueMapper: prepareValue });
      // It is not asked what the columns are: there is one, and it is text.
      connection.execute({});
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  /** Of connections without a tap. */
  handleDataRow({ fields: [first] }: { fields: readonly (string | null)[] }): void {
    if (typeof first === "string") {
      const bytes = Buffer.from(first);
      this.#column.add(bytes, 0, bytes.length);
    } else {
      this.#column.addNull();
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#end();
    this.#resolve(this.#column);
  }

  handleError(error: Error): void {
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    if (this.#tap !== undefined) this.#tap.take = undefined;
  }
}

/** Of the number of values, and of a value's length. */
const countBytes = 2;
const lengthBytes = 4;

/** Adds the first value of the row that begins at `start`; its length is -1 for null. */
function addFirst(column: Column, bytes: Buffer, start: number): void {
  const length = bytes.readInt32BE(start + countBytes);
  const valueStart = start + countBytes + lengthBytes;
  if (length === -1) column.addNull();
  else column.add(bytes, valueStart, valueStart + length);
}

const columns = new WeakMap<pg.ClientBase, Column>();

/** Where the values of the client's statement are kept, in place of those of the last. */
function columnOf(client: pg.ClientBase): Column {
  let column = columns.get(client);
  if (column === undefined) {
    column = new Column();
    columns.set(client, column);
  }
  return column;
}
