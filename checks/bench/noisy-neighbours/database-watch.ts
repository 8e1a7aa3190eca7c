/** What PostgreSQL tells about the connections to it. */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** All sessions so far that were killed, ended by an error, or abandoned by their client. */
export async function countKilled(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ killed: number }>(`
    select (sessions_killed + sessions_fatal + sessions_abandoned)::integer as killed
    from pg_stat_database where datname = current_database()`);
  return rows[0]!.killed;
}

const idleEveryMs = 50;
const idleTimeoutMs = 60_000;

/** Resolves when the service runs no statement; whatever was left of calls has ended then. */
export async function untilIdle(client: pg.Client, signal: AbortSignal): Promise<void> {
  const timeoutMs = performance.now() + idleTimeoutMs;
  for (;;) {
    const { rowCount } = await client.query(`
      select from pg_stat_activity
      where application_name like 'stowage-uploads%' and state <> 'idle'`);
    if (rowCount === 0) return;
    if (performance.now() > timeoutMs) throw new Error("Cannot go on: statements run for 60 s");
    await sleep(idleEveryMs, undefined, { signal });
  }
}
