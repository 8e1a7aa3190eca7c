/** What only tests do with signing keys. */
import { createLogger, openPool } from "@stowage/process";
import type pg from "pg";

/** A silent logger. */
export const silentLogger = createLogger({ name: "test", level: "silent" });

/** A pool of one connection, as in a command. The caller ends it. */
export function openTestPool(databaseUrl: string): pg.Pool {
  return openPool({
    databaseUrl,
    connectionsMax: 1,
    applicationName: "test",
    logger: silentLogger,
  });
}

/** Makes the keys older by this time. */
export async function passTime(pool: pg.Pool, seconds: number): Promise<void> {
  const earlier = (time: string) => `${time} = ${time} - make_interval(secs => $1)`;
  const times = ["created_at", "signs_from", "retired_at", "withdrawn_at"].map(earlier);
  await pool.query(`update auth.signing_keys set ${times.join(", ")}`, [seconds]);
}
