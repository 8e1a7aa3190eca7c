/**
 * All calls use the database through this file. Every statement runs under a signal. When it
 * aborts, the server cancels the statement, and the connection is kept.
 */
import { untilAborted } from "@stowage/process";
import type pg from "pg";
import { databaseError } from "./database-error.ts";
import { RawClient } from "./raw-client.ts";
import { isClean, readBackend, recoverConnection } from "./recover-connection.ts";
import { type Statements, statementsOn } from "./statements.ts";

export interface Database {
  /**
   * Gives `work` statements that share one connection. With `snapshot`, they also see one state of
   * the database. Throws the signal's reason when it aborts, without waiting for the database, and
   * `ApiError` DATABASE_UNAVAILABLE if there is no connection. Errors of `work` are rethrown
   * unchanged.
   */
  read<Result>(options: ReadOptions, work: Work<Result>): Promise<Result>;
}

interface ReadOptions {
  readonly signal: AbortSignal;
  readonly snapshot?: boolean | undefined;
  /** Called once, when the connection is back in its pool or closed, or if there was none. */
  readonly onReturned?: () => void;
}

/** Must not use the statements after it has settled. */
type Work<Result> = (statements: Statements) => Promise<Result>;

/**
 * @param pool the connections that statements run on. Its clients are of the class `RawClient`.
 *   Its `end` waits for connections that are still being recovered: end it before `cancelPool`.
 * @param cancelPool connections for cancelling them: not those of `pool`, which may all be in use.
 */
export function createDatabase(pool: pg.Pool, cancelPool: pg.Pool): Database {
  return {
    async read({ signal, snapshot = false, onReturned = () => {} }, work) {
      const client = await acquire(pool, signal, onReturned);
      try {
        const statements = statementsOn(client, signal);
        client.backend ??= await untilAborted(readBackend(statements.run), signal);
        const result = snapshot ? inSnapshot(statements, work) : work(statements);
        return await untilAborted(result, signal);
      } catch (error) {
        // A cancelled statement fails with an error of its own. The caller gets the reason.
        signal.throwIfAborted();
        throw error;
      } finally {
        // The caller does not wait for this.
        void giveBack(client, cancelPool).then(onReturned);
      }
    },
  };
}

// The transaction ends when the connection is returned, as nothing was written.
async function inSnapshot<Result>(statements: Statements, work: Work<Result>): Promise<Result> {
  await statements.run("begin isolation level repeatable read read only");
  return work(statements);
}

async function acquire(
  pool: pg.Pool,
  signal: AbortSignal,
  onReturned: () => void,
): Promise<PooledClient> {
  const client = await connect(pool, signal, onReturned).catch((error) => {
    signal.throwIfAborted();
    throw databaseError(error);
  });
  if (!isRawClient(client)) throw new TypeError("Cannot read: need a pool of RawClient");
  client.on("error", ignoreError);
  return client;
}

type PooledClient = pg.PoolClient & RawClient;

function isRawClient(client: pg.PoolClient): client is PooledClient {
  return client instanceof RawClient;
}

// A connection that breaks fails its statement and also emits an event, which would end the program
// without a listener. The pool closes it.
const ignoreError = () => {};

// The wait for a free connection ends with the signal. A connection that comes later is released.
async function connect(
  pool: pg.Pool,
  signal: AbortSignal,
  onReturned: () => void,
): Promise<pg.PoolClient> {
  if (signal.aborted) {
    onReturned();
    throw signal.reason;
  }
  const connecting = pool.connect();
  // There is an idle connection for every caller that waits, so this does not wait.
  if (pool.waitingCount > 0 && pool.waitingCount <= pool.idleCount) return connecting;
  try {
    return await untilAborted(connecting, signal);
  } catch (error) {
    connecting.then(
      (client) => {
        client.release();
        onReturned();
      },
      // The same error was thrown above, or the caller no longer waits.
      () => onReturned(),
    );
    throw error;
  }
}

/** Returns the connection to its pool as soon as it is usable, or closes it. */
async function giveBack(client: PooledClient, cancelPool: pg.Pool): Promise<void> {
  let isUsable = true;
  if (!isClean(client)) {
    await recoverConnection(client, cancelPool).catch(() => {
      isUsable = false;
    });
  }
  client.column.clear();
  client.release(!isUsable);
  if (isUsable) client.off("error", ignoreError);
}
