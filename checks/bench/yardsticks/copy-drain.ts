/**
 * The yardstick of trees: takes documents out of the database by COPY, with the driver that the
 * service has, and drops them.
 */
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { obeyOrders } from "../programs/obey-orders.ts";

export interface CopyOrder {
  readonly databaseUrl: string;
  /** Of a COPY each, one after the other. */
  readonly queries: readonly string[];
}

export interface CopyReport {
  readonly tookMs: number;
  readonly firstByteMs: number;
  readonly bytes: number;
}

obeyOrders(async ({ databaseUrl, queries }: CopyOrder): Promise<CopyReport> => {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const startMs = performance.now();
    let firstByteMs: number | undefined;
    let bytes = 0;
    for (const query of queries) {
      const stream = client.query(copyTo(`copy (${query}) to stdout`));
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        firstByteMs ??= performance.now() - startMs;
        bytes += chunk.length;
      }
    }
    const tookMs = performance.now() - startMs;
    return { tookMs, firstByteMs: firstByteMs ?? tookMs, bytes };
  } finally {
    await client.end();
  }
});
