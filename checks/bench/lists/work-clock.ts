/** How much processors have worked for a contestant so far: for its server, and in the database. */
import pg from "pg";
import { readProcessorMs } from "../programs/processor-time.ts";
import type { Contestant } from "./contestants.ts";

export interface WorkClock extends AsyncDisposable {
  /** In milliseconds, by process. */
  read(contestant: Contestant): Promise<{
    readonly server: ReadonlyMap<number, number>;
    readonly database: ReadonlyMap<number, number>;
  }>;
}

export async function openWorkClock(databaseUrl: string): Promise<WorkClock> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  return {
    async read({ processId, applicationName }) {
      const { rows } = await client.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = $1",
        [applicationName],
      );
      return {
        server: await readProcessorMs([processId]),
        database: await readProcessorMs(rows.map(({ pid }) => pid)),
      };
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
