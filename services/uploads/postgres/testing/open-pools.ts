import { createLogger, openPool } from "@stowage/process";
import type pg from "pg";
import { createDatabase, type Database } from "../database.ts";
import { RawClient } from "../raw-client.ts";

interface OpenedPools {
  readonly pool: pg.Pool;
  readonly cancelPool: pg.Pool;
  readonly database: Database;
  close(): Promise<void>;
}

/** A database with its pools, as the service has it. */
export function openPools(
  databaseUrl: string,
  { connectionsMax, applicationName }: { connectionsMax: number; applicationName: string },
): OpenedPools {
  const options = { databaseUrl, logger: createLogger({ name: "test", level: "silent" }) };
  const pool = openPool({ ...options, applicationName, connectionsMax, Client: RawClient });
  const cancelPool = openPool({
    ...options,
    applicationName: `${applicationName}-cancel`,
    connectionsMax: 2,
  });
  return {
    pool,
    cancelPool,
    database: createDatabase(pool, cancelPool),
    async close() {
      await pool.end();
      await cancelPool.end();
    },
  };
}
