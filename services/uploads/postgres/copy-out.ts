import pg from "pg";
import type { Sql } from "sql-template-tag";
import { databaseError } from "./database-error.ts";
import { connectionOf } from "./driver-internals.ts";
import type { RawClient } from "./raw-client.ts";

interface CopyListener {
  /** Gets each message of data, which is valid until it returns. */
  readonly onMessage: (message: Buffer) => void;
  /** Runs after the messages of one chunk. No more are read until it settles. */
  readonly afterChunk: () => Promise<void>;
}

/**
 * Runs a statement as `COPY … TO STDOUT` in binary format, without holding its rows. The driver's
 * own queries collect them. This one passes each message on and leaves the rest in the socket,
 * which slows the database down.
 *
 * @param signal ends the wait for the statement. Rows that arrive later are dropped.
 * @returns settles at the end of the statement. If it rejects because the signal aborted, or
 *   `onMessage` or `afterChunk` failed, the statement is still running. Its remaining rows are read
 *   and dropped.
 */
export function copyOut(
  client: RawClient,
  statement: Sql,
  signal: AbortSignal,
  { onMessage, afterChunk }: CopyListener,
): Promise<void> {
  const text = `copy (${literalText(statement)}) to stdout (format binary)`;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const connection = connectionOf(client);
  let pausing: Promise<void> | undefined;
  let isOver = false;
  const fail = (error: unknown) => {
    isOver = true;
    // The server does not notice a request to cancel while it waits to send rows.
    connection.stream.resume();
    reject(error);
  };
  const onAbort = () => fail(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const stopListening = () => signal.removeEventListener("abort", onAbort);
  promise.then(stopListening, stopListening);
  const pause = async () => {
    connection.stream.pause();
    // By then, every message of the chunk was passed on.
    await Promise.resolve();
    if (!isOver) await afterChunk();
    pausing = undefined;
    // Later, the connection may be that of another call.
    if (!isOver) connection.stream.resume();
  };
  const receive = (message: Buffer) => {
    if (isOver) return;
    try {
      onMessage(message);
    } catch (error) {
      fail(error);
      return;
    }
    pausing ??= pause().catch(fail);
  };
  client.query({
    submit() {
      client.onRow = (bytes, start, end) => receive(bytes.subarray(start, end));
      connection.query(text);
    },
    handleCommandComplete() {},
    handleReadyForQuery() {
      client.onRow = undefined;
      resolve(pausing);
    },
    handleError(error: Error) {
      client.onRow = undefined;
      fail(databaseError(error));
    },
  } as pg.Submittable);
  return promise;
}

/**
 * The statement with its values as literals, because COPY takes no parameters (PostgreSQL manual,
 * COPY). Throws `TypeError` for a value of a type that no statement has.
 */
export function literalText({ strings, values }: Sql): string {
  return strings.reduce((text, part, index) => `${text}${literal(values[index - 1])}${part}`);
}

function literal(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return pg.escapeLiteral(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  // An empty array has no type of its own.
  if (Array.isArray(value))
    return value.length === 0 ? "'{}'" : `array[${value.map(literal).join()}]`;
  throw new TypeError(`Cannot write a ${typeof value} into a statement: need text or an integer`);
}
