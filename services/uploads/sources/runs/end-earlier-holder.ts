import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";
import type { SourceId } from "../source.ts";

/**
 * Ends the connection of the process that had the source before, if there still is one. While a
 * process is suspended in the middle of a statement, the server waits for the rest of it, and keeps
 * its locks, without a limit.
 *
 * Each run and each removal holds an advisory lock until its connection ends. So no connection of
 * anything else is ended, which a stored process ID might belong to by now.
 */
export async function endEarlierHolder(client: pg.ClientBase, source: SourceId): Promise<void> {
  for (;;) {
    const { rows } = await query<{ isHeld: boolean }>(client, tryToHold, { ...source });
    if (rows[0]?.isHeld) return;
    await query(client, endHolder, { ...source });
  }
}

const lockKey = "hashtextextended('stowage source ' || :sourceId, 0)";

const tryToHold = `select pg_try_advisory_lock(${lockKey}) as "isHeld"`;

/** The server waits at most this long for the end of the connection. */
const endMaxMs = 1000;

const endHolder = `
  select pg_terminate_backend(pid, ${endMaxMs}) from pg_locks
  where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint << 32 | objid::bigint = ${lockKey}`;
