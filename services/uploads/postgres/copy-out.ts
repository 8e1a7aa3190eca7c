import type pg from "pg";
import { type RowTap, tapOf } from "./raw-row-reader.ts";

/** The parts of the driver's connection that are used here. */
interface Connection {
  readonly stream: { pause(): void; resume(): void };
  query(text: string): void;
}

/**
 * Runs a `COPY … TO STDOUT` without holding what it gives.
 *
 * The driver's own queries gather rows; this one, which the driver takes as it takes cursors,
 * passes each message on and leaves the rest in the socket, where it holds up the database.
 *
 * @param take gets each message of data, which is valid until it returns.
 * @param taken runs after the messages that came together; the next are not read until it settles.
 * @returns settles at the end of the statement. When it rejects because `take` or `taken` has
 *   failed, the connection is still busy and has to be closed.
 */
export function runCopyOut(
  client: pg.ClientBase,
  text: string,
  take: (message: Buffer) => void,
  taken: () => Promise<void>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let connection: Connection;
  let tap: RowTap | undefined;
  let holding: Promise<void> | undefined;
  let isOver = false;
  const endTap = () => {
    if (tap !== undefined) tap.take = undefined;
  };
  const fail = (error: unknown) => {
    isOver = true;
    reject(error);
  };
  const hold = async () => {
    connection.stream.pause();
    // By then all that came together has been taken.
    await Promise.resolve();
    if (!isOver) await taken();
    holding = undefined;
    connection.stream.resume();
  };
  const onMessage = (message: Buffer) => {
    if (isOver) return;
    try {
      take(message);
    } catch (error) {
      fail(error);
    }
    holding ??= hold().catch(fail);
  };
  client.query({
    submit(its: Connection) {
      connection = its;
      tap = tapOf(its);
      if (tap !== undefined) {
        tap.take = (bytes, start, end) => onMessage(bytes.subarray(start, end));
      }
      connection.query(text);
    },
    /** Of connections without a tap. */
    handleCopyData: ({ chunk }: { chunk: Buffer }) => onMessage(chunk),
    handleCommandComplete() {},
    handleReadyForQuery() {
      endTap();
      resolve(holding);
    },
    handleError(error: Error) {
      endTap();
      fail(error);
    },
  } as pg.Submittable);
  return promise;
}
