/**
 * The one way to the database: every statement runs under a signal and is cancelled in the server
 * when the signal aborts, so that no request leaves work running behind it.
 */
import { untilAborted } from "@stowage/process";
import type pg from "pg";
import type { Sql } from "sql-template-tag";
import { Refusal } from "../domain/refusal.ts";
import { isDatabaseOutOfReach } from "./database-errors.ts";

/** Runs one statement and gives its rows. */
export type Run = <Row extends pg.QueryResultRow>(statement: Sql) => Promise<Row[]>;

export interface Database {
  /**
   * Gives `work` statements that share one connection; with `snapshot`, they also see one state of
   * the database. Throws the signal's reason once it aborts, and `Refusal` DATABASE_UNAVAILABLE
   * when the database cannot be reached.
   */
  read<Result>(
    options: { signal: AbortSignal; snapshot?: boolean },
    work: (run: Run) => Promise<Result>,
  ): Promise<Result>;
}

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
        if (!isDatabaseOutOfReach(error)) throw error;
        throw new Refusal("DATABASE_UNAVAILABLE", "the database cannot be reached; try again", {
          cause: error,
        });
      }
    },
  };
}

// Waiting for a free connection ends with the signal; the connection that comes too late goes back.
async function connect(pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> {
  const connecting = pool.connect();
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
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  let cancelling: Promise<unknown> | undefined;
  const onAbort = () => {
    cancelling = cancelStatement(client, cancelPool);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  let failed = true;
  try {
    const run: Run = async (statement) => {
      signal.throwIfAborted();
      const result = await client.query({ text: statement.text, values: statement.values });
      return result.rows;
    };
    if (snapshot) await client.query("begin isolation level repeatable read read only");
    const result = await work(run);
    if (snapshot) await client.query("commit");
    failed = false;
    return result;
  } finally {
    signal.removeEventListener("abort", onAbort);
    // A late cancellation must not reach the next user's statement: wait for it before the
    // connection goes back, and after a failure close it, whatever state it is in.
    await cancelling;
    client.release(failed || cancelling !== undefined);
  }
}

async function cancelStatement(client: pg.PoolClient, cancelPool: pg.Pool): Promise<void> {
  // The driver knows the backend's process ID; its types do not say so.
  const { processID } = client as pg.PoolClient & { processID: number };
  try {
    await cancelPool.query("select pg_cancel_backend($1)", [processID]);
  } catch {
    // Out of reach: closing the connection, which follows, ends the statement too.
  }
}
