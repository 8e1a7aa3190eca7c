import pg from "pg";
import { ReusedBytes } from "./reused-bytes.ts";
import { type RowTap, tapOf } from "./row-tap.ts";

/**
 * A value of the only column, as the server writes it: text in UTF-8, or null. It stays as it is
 * until the connection runs another statement.
 */
export type ColumnValue = Buffer | null;

/**
 * Runs a statement of one column and gives the column. The driver's own query makes an object of
 * every row, which for a page of fifty takes longer than all else that the driver does.
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
): Promise<ColumnValue[]> {
  return new Promise((resolve, reject) => {
    client.query(new ColumnQuery(config, resolve, reject));
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
  readonly #resolve: (column: ColumnValue[]) => void;
  readonly #reject: (error: Error) => void;
  readonly #column: ColumnValue[] = [];
  #tap: RowTap | undefined;

  constructor(
    { name = "", text, values }: Parameters<typeof queryColumn>[1],
    resolve: (column: ColumnValue[]) => void,
    reject: (error: Error) => void,
  ) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(given: pg.Connection): void {
    const connection = given as unknown as Connection;
    const { name, text } = this;
    this.#tap = tapOf(connection);
    if (this.#tap !== undefined) {
      const kept = bytesOf(this.#tap);
      this.#tap.take = (bytes, start) => this.#column.push(firstOf(bytes, start, kept));
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
    this.#column.push(typeof first === "string" ? Buffer.from(first) : null);
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

/** The first value of the row that begins at `start`; its length is -1 for null. */
function firstOf(bytes: Buffer, start: number, kept: ReusedBytes): ColumnValue {
  const length = bytes.readInt32BE(start + countBytes);
  const valueStart = start + countBytes + lengthBytes;
  return length === -1 ? null : kept.copy(bytes, valueStart, valueStart + length);
}

const bytesOfTap = new WeakMap<RowTap, ReusedBytes>();

/** Where the values of the connection's statement are kept, in place of those of the last. */
function bytesOf(tap: RowTap): ReusedBytes {
  let kept = bytesOfTap.get(tap);
  if (kept === undefined) {
    kept = new ReusedBytes();
    bytesOfTap.set(tap, kept);
  }
  kept.clear();
  return kept;
}
