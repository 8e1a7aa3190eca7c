/**
 * The one way to the database: every statement runs under a signal, and the server cancels it when
 * the signal aborts.
 */
import { isDatabaseUnavailable, untilAborted } from "@stowage/process";
import type pg from "pg";
import sql from "sql-template-tag";
import { ApiError } from "../model/api-error.ts";
import { backendProcessId } from "./driver-internals.ts";
import { RawClient } from "./raw-client.ts";
import { type Copy, type ReadColumn, type Run, statementsOn } from "./statements.ts";

export type { Copy, ReadColumn, Run } from "./statements.ts";

export interface Database {
  /**
   * Gives `work` statements that share one connection. With `snapshot`, they also see one state of
   * the database. Throws the signal's reason when it aborts, and `ApiError` DATABASE_UNAVAILABLE if
   * the database cannot be reached.
   */
  read<Result>(
    options: { signal: AbortSignal; snapshot?: boolean },
    work: Work<Result>,
  ): Promise<Result>;
}

type Work<Result> = (run: Run, copy: Copy, readColumn: ReadColumn) => Promise<Result>;

/**
 * @param pool the connections that statements run on. Its clients are of the class `RawClient`.
 * @param cancelPool a connection to cancel them by: never one of `pool`, which may be used up.
 */
export function createDatabase(pool: pg.Pool, cancelPool: pg.Pool): Database {
  return {
    async read({ signal, snapshot = false }, work) {
      signal.throwIfAborted();
      try {
        const client = await connect(pool, signal);
        return await readOn(client, cancelPool, signal, snapshot, work);
      } catch (error) {
        // A cancelled statement fails with an error of its own. The caller gets the reason.
        signal.throwIfAborted();
        throw outageOf(error) ?? error;
      }
    },
  };
}

// The pool's message if all its connections were in use for too long.
const allInUse = "timeout exceeded when trying to connect";

function outageOf(error: unknown): ApiError | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  if (error instanceof Error && error.message === allInUse) {
    return new ApiError("SERVER_BUSY", "too many calls are under way; try again", { cause: error });
  }
  const message = "the database cannot be reached; try again";
  return new ApiError("DATABASE_UNAVAILABLE", message, { cause: error });
}

// The wait for a free connection ends with the signal. A connection that comes later is released.
async function connect(pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  // There is an idle connection for every caller that waits, so this does not wait.
  if (pool.waitingCount > 0 && pool.waitingCount <= pool.idleCount) return connecting;
  try {
    return await untilAborted(connecting, signal);
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => {}, // The same error was thrown above, or the caller no longer waits.
    );
    throw error;
  }
}

async function readOn<Result>(
  client: pg.PoolClient,
  cancelPool: pg.Pool,
  signal: AbortSignal,
  snapshot: boolean,
  work: Work<Result>,
): Promise<Result> {
  if (!(client instanceof RawClient)) throw new TypeError("Cannot read: need a pool of RawClient");
  let isReusable = true;
  const onFailure = (isRunning: boolean) => {
    if (isReusable && isRunning) endStatement(client, cancelPool);
    isReusable = false;
  };
  const { run, copy, readColumn } = statementsOn(client, signal, onFailure);
  const inSnapshot = async () => {
    await run(sql`begin isolation level repeatable read read only`);
    try {
      return await work(run, copy, readColumn);
    } finally {
      // Nothing was written, so nothing is lost if the commit fails. The connection is closed then.
      if (isReusable) await run(sql`commit`).catch(() => {});
    }
  };
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  // A database that no longer answers must not keep a call past its deadline.
  const onAbort = () => {
    onFailure(true);
    reject(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  client.on("error", ignoreError);
  try {
    signal.throwIfAborted();
    const reading = snapshot ? inSnapshot() : work(run, copy, readColumn);
    reading.then(resolve, reject);
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    // An aborted connection is closed: a late cancellation must not reach another statement.
    client.release(!isReusable);
    if (isReusable) client.off("error", ignoreError);
  }
}

// A connection that breaks fails its statement and also emits an event, which would end the program
// without a listener.
const ignoreError = () => {};

/**
 * Asks the server to end the statement together with its connection: a request to cancel would have
 * no effect just before the statement begins. Nothing waits for the result: the statement has a
 * timeout in the server, which ends it if this request gets lost.
 */
function endStatement(client: pg.ClientBase, cancelPool: pg.Pool): void {
  cancelPool.query("select pg_terminate_backend($1)", [backendProcessId(client)]).catch(() => {});
}
