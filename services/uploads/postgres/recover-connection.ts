/**
 * Makes the connection of a call usable for the next one, whatever the call left behind: a running
 * statement, a transaction, or both.
 */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { untilAborted } from "@stowage/process";
import type pg from "pg";
import { isLost, isReady } from "./driver-internals.ts";
import type { Backend, RawClient } from "./raw-client.ts";
import type { RunQuery } from "./statements.ts";

const recoveryTimeoutMs = 5000;

/**
 * A cancel request that reaches the server just before its statement has no effect. It is sent
 * again after this time, and then after twice as long each time.
 */
const cancelAgainMs = 10;

/** Asks the server for the process that serves the connection of `run`. */
export async function readBackend(run: RunQuery): Promise<Backend | undefined> {
  const [backend] = await run<Backend>(`
    select pid as "processId", backend_start::text as "startedAt"
    from pg_stat_get_activity(pg_backend_pid())`);
  return backend;
}

/**
 * Planned once for each connection: people who type abort hundreds of calls in a second. The view
 * `pg_stat_activity` would read all processes, and join them with databases and roles.
 */
const cancelRequest = {
  name: "cancel",
  text: `
    select pg_cancel_backend(pid) from pg_stat_get_activity($1) where backend_start = $2`,
};

/** Whether the call left nothing behind. */
export function isClean(client: pg.Client): boolean {
  return isReady(client) && !isInTransaction(client);
}

function isInTransaction(client: pg.Client): boolean {
  return client.getTransactionStatus() !== "I";
}

/**
 * Cancels the running statement, waits until the connection answers, and ends the transaction. No
 * cancel request is pending afterwards, so none can hit a statement of another call: the server
 * answers the request only after it has sent the signal, and a signal that finds no statement has
 * no effect on the next one. Rejects if this takes longer than 5 s, or the connection is lost.
 *
 * It uses `pg_cancel_backend` over pooled connections: the protocol's own cancel request would cost
 * the server a connection and a process each time.
 */
export async function recoverConnection(client: RawClient, cancelPool: pg.Pool): Promise<void> {
  const timeout = AbortSignal.timeout(recoveryTimeoutMs);
  await untilAborted(recover(client, cancelPool, timeout), timeout);
}

async function recover(
  client: RawClient,
  cancelPool: pg.Pool,
  timeout: AbortSignal,
): Promise<void> {
  if (isLost(client)) throw new Error("Cannot recover the connection: it is lost");
  if (!isReady(client)) await cancelStatement(client, cancelPool, timeout);
  await client.query(isInTransaction(client) ? "rollback" : "");
}

async function cancelStatement(
  client: RawClient,
  cancelPool: pg.Pool,
  timeout: AbortSignal,
): Promise<void> {
  // The driver emits this when the last statement has ended.
  const ended = once(client, "drain", { signal: timeout });
  ended.catch(() => {}); // It may be rejected while nothing waits for it.
  const { processId, startedAt } = client.backend ?? {};
  for (let waitMs = cancelAgainMs; !isReady(client); waitMs *= 2) {
    await cancelPool.query({ ...cancelRequest, values: [processId, startedAt] });
    await Promise.race([ended, wait(waitMs, undefined, { ref: false })]);
  }
}
