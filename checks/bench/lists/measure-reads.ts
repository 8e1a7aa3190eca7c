/**
 * How much of the database a request reads, as PostgreSQL counts it. A server process reports its
 * counts when it has become idle and its last report is a second old; so a service with one
 * connection is asked, and asked again a second later.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listRequests } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";

export interface Reads {
  /** Rows that were fetched from tables, of a page of 50. */
  readonly rows: number;
  /** Of tables and indexes, 8 KiB each, nearly all from memory. */
  readonly buffers: number;
}

/** So often a statement is run until its plan stays as it is. */
const warmUpCalls = 8;
const countedCalls = 10;
const reportEveryMs = 1050;

/** Of the first requests, as many as there is time for; of one at least. */
export async function measureReads(
  { stage, seconds, signal }: DataBenchmarkRun,
  requests: readonly object[],
): Promise<readonly Reads[]> {
  await using service = await stage.startService({ DATABASE_CONNECTIONS_MAX: "1" });
  const { port } = service;
  const client = new pg.Client(stage.databaseUrl);
  await client.connect();
  const ask = (request: object, calls: number) =>
    stage.load.obey({ kind: "each", port, requests: listRequests(stage, request, calls) });
  const askAndCount = async (request: object, calls: number) => {
    if (calls > 1) await ask(request, calls - 1);
    await sleep(reportEveryMs, undefined, { signal });
    await ask(request, 1);
    return await readCounts(client);
  };
  try {
    const affordable = Math.max(1, Math.floor((seconds * 1000) / reportEveryMs));
    const measured = requests.slice(0, affordable);
    for (const request of measured) await ask(request, warmUpCalls);
    const found: Reads[] = [];
    let before = await askAndCount(requests[0]!, 1);
    for (const request of measured) {
      const after = await askAndCount(request, countedCalls);
      found.push({
        rows: (after.rows - before.rows) / countedCalls,
        buffers: (after.buffers - before.buffers) / countedCalls,
      });
      before = after;
    }
    return found;
  } finally {
    await client.end();
  }
}

async function readCounts(client: pg.Client): Promise<Reads> {
  const { rows } = await client.query<Reads>(`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows,
      sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)
        + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0)
      )::float8 as buffers
    from pg_stat_user_tables join pg_statio_user_tables using (relid)
    where pg_stat_user_tables.schemaname = 'uploads'`);
  return rows[0]!;
}
