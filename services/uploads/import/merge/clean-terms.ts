/**
 * Keeps the pending list of the index of names short. PostgreSQL adds the terms of new uploads to a
 * list first, and moves them into the index when it is long (PostgreSQL manual, "GIN Fast Update
 * Technique"). Every search reads the whole list.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { onOneConnection } from "../../postgres/one-connection.ts";

/** Moves all terms of the list into the index. Only the owner of the index may run it. */
export const cleanTerms = "select gin_clean_pending_list('uploads.uploads_by_name')";

/** An import adds the terms of about a thousand uploads in this time. */
const pauseMs = 200;

/**
 * Cleans the list on another connection while `work` writes uploads, which then takes a tenth less
 * time: otherwise the connection that adds to the list also has to clean it. Errors of the cleaning
 * are ignored, because that connection then cleans the list.
 */
export async function whileCleaningTerms<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  const end = new AbortController();
  const cleaning = cleanUntil(pool, end.signal).catch(() => undefined);
  try {
    return await work();
  } finally {
    end.abort();
    await cleaning;
  }
}

function cleanUntil(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  return onOneConnection(pool, signal, async (client) => {
    for (;;) {
      await client.query(cleanTerms);
      await sleep(pauseMs, undefined, { signal });
    }
  });
}
