/**
 * The one way to the database: every statement runs under a signal and is cancelled in the server
 * when the signal aborts.
 */
import { isDatabaseUnavailable, untilAborted } from "@stowage/process";
import type pg from "pg";
import sql from "sql-template-tag";
import { ApiError } from "../model/api-error.ts";
import { isFull } from "./prepared-statements.ts";
import { type Copy, type ReadColumn, type Run, statementsOn } from "./statements.ts";

export type { Copy, ReadColumn, Run } from "./statements.ts";

export interface Database {
  /**
   * Gives `work` statements that share one connection; with `snapshot`, they also see one state of
   * the database. Throws the signal's reason once it aborts, and `ApiError` DATABASE_UNAVAILABLE
   * when the database cannot be reached.
   */
  read<Result>(
    options: { signal: AbortSignal; snapshot?: boolean },
    work: Work<Result>,
  ): Promise<Result>;
}

export type Work<Result> = (run: Run, copy: Copy, readColumn: ReadColumn) => Promise<Result>;

/**
 * @param pool the connections that statements run on.
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
        // A cancelled statement fails with an error of its own; the caller is told the reason.
        signal.throwIfAborted();
        throw outageOf(error) ?? error;
      }
    },
  };
}

// What the pool says when all its connections were in use for too long.
const allInUse = "timeout exceeded when trying to connect";

function outageOf(error: unknown): ApiError | undefined {
  if (!isDatabaseUnavailable(error)) return undefined;
  if (error instanceof Error && error.message === allInUse) {
    return new ApiError("SERVER_BUSY", "too many calls are under way; try again", { cause: error });
  }
  const message = "the database cannot be reached; try again";
  return new ApiError("DATABASE_UNAVAILABLE", message, { cause: error });
}

// Waiting for a free connection ends with the signal; the connection that comes too late goes back.
async function connect(pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  // There is one for everybody who waits. (Nobody waits in line for one that is only being made.)
  if (pool.waitingCount > 0 && pool.waitingCount <= pool.idleCount) return connecting;
  try {
    return await untilAborted(connecting, signal);
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => {}, // The same error was thrown above, or the wait was given up.
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
  let reusable = true;
  const onFailure = (isUnderWay: boolean) => {
    if (reusable && isUnderWay) endStatement(client, cancelPool);
    reusable = false;
  };
  const { run, copy, readColumn } = statementsOn(client, signal, onFailure);
  const inSnapshot = async () => {
    await run(sql`begin isolation level repeatable read read only`);
    try {
      return await work(run, copy, readColumn);
    } finally {
      // Nothing was written, so a commit that fails loses nothing; the connection is closed then.
      if (reusable) await run(sql`commit`).catch(() => {});
    }
  };
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  // A database that no longer answers must not hold a call past its time.
  const onAbort = () => {
    onFailure(true);
    reject(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  client.on("error", alreadyThrown);
  try {
    signal.throwIfAborted();
    const reading = snapshot ? inSnapshot() : work(run, copy, readColumn);
    reading.then(resolve, reject);
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    // An aborted connection is closed: a late cancellation must not reach another statement.
    client.release(!reusable || isFull(client));
    if (reusable) client.off("error", alreadyThrown);
  }
}

// A connection that breaks fails its statement, and says so a second time as an event, which would
// end the program if nobody listened.
const alreadyThrown = () => {};

/**
 * Asks the server to end the connection's statement, and the connection with it: a request to
 * cancel would be lost where it comes just before the statement. Nobody waits for it: the statement
 * has a timeout of its own in the server, which also ends it when this request gets lost.
 */
function endStatement(client: pg.PoolClient, cancelPool: pg.Pool): void {
  // The driver knows the backend's process ID; its types do not say so.
  const { processID } = client as pg.PoolClient & { processID: number };
  cancelPool.query("select pg_terminate_backend($1)", [processID]).catch(() => {});
}
