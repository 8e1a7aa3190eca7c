/**
 * The private parts of the driver (`pg`) that this service relies on, all of them. The driver's
 * types do not have them, and a new version may move them: `driver-internals.test.ts` then fails.
 */
import pg from "pg";

/** The connection of a client: what it sends messages of the protocol by. */
interface DriverConnection {
  readonly stream: {
    cork(): void;
    uncork(): void;
    pause(): void;
    resume(): void;
    destroy(): void;
  };
  /** The text of each prepared statement, by its name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  /** Begins to parse what the socket receives. */
  attachListeners(stream: ByteStream): void;
  parse(statement: { name: string; text: string }): void;
  bind(portal: {
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
    /** Whether the results are wanted in binary format. Default: as text. */
    binary?: boolean;
  }): void;
  /** Default of `rows`: all. */
  execute(portal: { rows?: number }): void;
  flush(): void;
  sync(): void;
}

/** The part of a socket that the driver's parser uses. */
interface ByteStream {
  on(event: string, listener: (chunk: Buffer) => void): unknown;
}

export function connectionOf(client: pg.ClientBase): DriverConnection {
  return (client as unknown as { connection: DriverConnection }).connection;
}

/** Whether the last statement has ended, so that the next one begins at once. */
export function isReady(client: pg.ClientBase): boolean {
  return (client as unknown as { readyForQuery: boolean }).readyForQuery;
}

/** Whether the connection is lost, so that no statement can run on it again. */
export function isLost(client: pg.ClientBase): boolean {
  return !(client as unknown as { _queryable: boolean })._queryable;
}

/** The driver's own conversion of a parameter to the text that it sends. */
export function prepareValue(value: unknown): unknown {
  return (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils.prepareValue(
    value,
  );
}
