/** What tests do with signing keys, beside what users do. */
import { setTimeout } from "node:timers/promises";
import { createLogger, openPool } from "@stowage/process";
import type pg from "pg";

/** Says nothing. */
export const silentLogger = createLogger({ name: "test", level: "silent" });

/** A pool of one connection, as a command has it. The caller ends it. */
export function openTestPool(databaseUrl: string): pg.Pool {
  return openPool({
    databaseUrl,
    connectionsMax: 1,
    applicationName: "test",
    logger: silentLogger,
  });
}

/** Makes the keys as old as they will be when that time has gone by. */
export async function passTime(pool: pg.Pool, seconds: number): Promise<void> {
  const earlier = (time: string) => `${time} = ${time} - make_interval(secs => $1)`;
  const times = ["created_at", "signs_from", "retired_at", "withdrawn_at"].map(earlier);
  await pool.query(`update auth.signing_keys set ${times.join(", ")}`, [seconds]);
}

/** Longer than anything takes that is waited for. */
const deadlineMs = 60_000;

/** Waits until a condition holds. Rejects, naming it, when it takes far too long. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`Waited ${deadlineMs} ms in vain: ${what}`);
    await setTimeout(20);
  }
}
