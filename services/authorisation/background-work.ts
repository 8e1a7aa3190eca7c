/** What the service does besides answering: it tells clients of logouts and forgets what is old. */
import type { Logger } from "@stowage/process";
import type pg from "pg";
import { deliverLogoutNotices } from "./logout/deliver-notices.ts";
import { pruneRegularly } from "./prune-regularly.ts";
import type { FollowedKeys } from "./signing/followed-keys.ts";
import { removeExpiredLogoutNotices } from "./store/logout-notices.ts";
import { pruneAuthorisations } from "./store/prune-authorisations.ts";
import { pruneProviderRecords } from "./store/prune-provider-records.ts";
import { pruneUsedAssertions } from "./store/used-assertions.ts";

/** What the work takes. */
export interface WorkOptions {
  pool: pg.Pool;
  signingKeys: FollowedKeys;
  /** The issuer. */
  authUrl: string;
  /** How long the record of what was granted is kept. */
  authorisationsKeptDays: number;
  logger: Logger;
}

/** Work that goes on until it is stopped. */
export interface BackgroundWork {
  /** To be called when sessions have ended: their clients are told at once. */
  sessionsEnded(): void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** Begins the work. */
export function startBackgroundWork(options: WorkOptions): BackgroundWork {
  const { pool, logger } = options;
  const delivery = deliverLogoutNotices(options);
  const stopPruning = pruneRegularly({
    prune: async () =>
      (await pruneAuthorisations(pool, options.authorisationsKeptDays)) +
      (await pruneProviderRecords(pool)) +
      (await pruneUsedAssertions(pool)) +
      (await giveUpNotices(pool, logger)),
    logger,
  });
  return {
    sessionsEnded: () => delivery.wake(),
    async stop() {
      await Promise.all([delivery.stop(), stopPruning()]);
    },
  };
}

async function giveUpNotices(pool: pg.Pool, logger: Logger): Promise<number> {
  const removed = await removeExpiredLogoutNotices(pool);
  for (const [clientId, count] of removed) {
    logger.warn({ clientId, count }, "a client was not told of ended sessions in time");
  }
  return removed.values().reduce((sum, count) => sum + count, 0);
}
