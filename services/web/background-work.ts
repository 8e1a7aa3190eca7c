/** Work besides answering requests: removes sessions whose time is up. */
import { type Logger, pruneRegularly } from "@stowage/process";
import type pg from "pg";
import { clockToleranceSeconds } from "./issuer/issuer.ts";
import { pruneSessions } from "./store/sessions.ts";
import { pruneUsedLogoutTokens } from "./store/used-logout-tokens.ts";

/** Returns a function that stops the work, and resolves when it has ended. */
export function startBackgroundWork(options: {
  pool: pg.Pool;
  idleSecondsMax: number;
  ageSecondsMax: number;
  logger: Logger;
}): () => Promise<void> {
  const { pool, logger } = options;
  return pruneRegularly({
    prune: async () =>
      (await pruneSessions(pool, options)) +
      (await pruneUsedLogoutTokens(pool, clockToleranceSeconds)),
    times: { firstMs: 10_000, intervalMs: 300_000, restMs: 100 },
    logLevel: "debug",
    logger,
  });
}
