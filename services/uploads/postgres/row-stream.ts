import type pg from "pg";
import { databaseError } from "./database-error.ts";
import { connectionOf, prepareValue } from "./driver-internals.ts";
import type { Statement } from "./named-parameters.ts";
import type { RawClient } from "./raw-client.ts";

/**
 * The server prepares at most two batches of rows in advance. Without a limit, it would fill the
 * buffers of the network, some megabytes, as fast as it can, however slow the reader is. Each batch
 * is twice as large as the one before, until the reader is slow.
 */
const batchRowsMin = 250;
/** Larger batches are not noticeably faster. */
const batchRowsMax = 8000;
/** A reader that needs longer for a chunk is slow. */
const slowMs = 50;

export interface RowListener {
  /**
   * Gets each row, with its values in binary format: the bytes, and where the row is in them. They
   * are valid until the call returns.
   */
  readonly onRow: (bytes: Buffer, start: number, end: number) => void;
  /** Runs after the rows of one chunk. No more are read until it settles. */
  readonly afterChunk: () => Promise<void>;
}

/**
 * Runs a statement without holding its rows. The driver's own queries collect them. This one passes
 * each row on, and asks for more when it was taken.
 *
 * @param signal ends the wait for the statement. Rows that arrive later are dropped.
 * @returns settles at the end of the statement. If it rejects because the signal aborted, or
 *   `onRow` or `afterChunk` failed, the statement may still be running.
 */
export function streamRows(
  client: RawClient,
  statement: Statement,
  signal: AbortSignal,
  listener: RowListener,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stream = new RowStream(client, statement, listener, { resolve, reject });
  const onAbort = () => stream.fail(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const stopListening = () => signal.removeEventListener("abort", onAbort);
  promise.then(stopListening, stopListening);
  client.query(stream);
  return promise;
}

interface Result {
  readonly resolve: (value?: Promise<void>) => void;
  readonly reject: (error: unknown) => void;
}

/** The driver calls these methods, as it does for its cursors. */
class RowStream implements pg.Submittable {
  readonly #client: RawClient;
  readonly #connection: ReturnType<typeof connectionOf>;
  readonly #statement: Statement;
  readonly #listener: RowListener;
  readonly #result: Result;
  #batchRows = batchRowsMin;
  #pausing: Promise<void> | undefined;
  #isSubmitted = false;
  /** No more rows are asked for. */
  #isSynced = false;
  #hasFailed = false;

  constructor(client: RawClient, statement: Statement, listener: RowListener, result: Result) {
    this.#client = client;
    this.#connection = connectionOf(client);
    this.#statement = statement;
    this.#listener = listener;
    this.#result = result;
  }

  submit(): void {
    this.#isSubmitted = true;
    if (this.#hasFailed) {
      this.#sync();
      return;
    }
    const { text, values } = this.#statement;
    this.#client.onRow = (bytes, start, end) => this.#take(bytes, start, end);
    const { stream } = this.#connection;
    stream.cork();
    try {
      this.#connection.parse({ name: "", text });
      this.#connection.bind({ statement: "", values, valueMapper: prepareValue, binary: true });
      this.#requestBatch();
      this.#requestBatch();
    } catch (error) {
      this.fail(error);
    } finally {
      stream.uncork();
    }
  }

  #requestBatch(): void {
    this.#connection.execute({ rows: this.#batchRows });
    this.#connection.flush();
    this.#batchRows = Math.min(2 * this.#batchRows, batchRowsMax);
  }

  #take(bytes: Buffer, start: number, end: number): void {
    if (this.#hasFailed) return;
    try {
      this.#listener.onRow(bytes, start, end);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#pausing ??= this.#pause().catch((error) => this.fail(error));
  }

  async #pause(): Promise<void> {
    const { stream } = this.#connection;
    stream.pause();
    // By then, every row of the chunk was passed on.
    await Promise.resolve();
    const startMs = performance.now();
    if (!this.#hasFailed) await this.#listener.afterChunk();
    if (performance.now() - startMs > slowMs) this.#batchRows = batchRowsMin;
    this.#pausing = undefined;
    // Later, the connection may be that of another call.
    if (!this.#hasFailed) stream.resume();
  }

  /** One batch is complete. The server makes the next one meanwhile. */
  async handlePortalSuspended(): Promise<void> {
    await this.#pausing;
    if (!this.#isSynced) this.#requestBatch();
  }

  handleCommandComplete(): void {
    this.#sync();
  }

  handleReadyForQuery(): void {
    this.#client.onRow = undefined;
    this.#result.resolve(this.#pausing);
  }

  handleError(error: Error): void {
    this.#client.onRow = undefined;
    this.fail(databaseError(error));
  }

  fail(error: unknown): void {
    // Later, the connection may be that of another call.
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#result.reject(error);
    // It still waits for the end of other statements.
    if (!this.#isSubmitted) return;
    this.#sync();
    // The server does not notice a request to cancel while it waits to send rows.
    this.#connection.stream.resume();
  }

  #sync(): void {
    if (!this.#isSynced) this.#connection.sync();
    this.#isSynced = true;
  }
}
