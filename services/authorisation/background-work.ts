/** Work besides answering requests: tells clients of logouts, and prunes old records. */
import { errorText, type Logger, pruneRegularly, repeat } from "@stowage/process";
import type pg from "pg";
import { deliverLogoutNotices } from "./logout/deliver-notices.ts";
import type { ServiceMetrics } from "./metrics/service-metrics.ts";
import type { KeyRing } from "./signing/key-ring.ts";
import { pruneAuditEvents } from "./store/audit-events.ts";
import { pruneAuthorisations } from "./store/authorisations.ts";
import { countLogoutNotices, removeExpiredLogoutNotices } from "./store/logout-notices.ts";
import { pruneProviderRecords, removeSurplus } from "./store/provider-records.ts";

/** What the work needs. */
interface WorkOptions {
  pool: pg.Pool;
  signingKeys: KeyRing;
  /** The issuer. */
  authUrl: string;
  /** How long the rows of the audit log are kept. */
  authorisationsKeptDays: number;
  /** How many records that anybody can make may be pending. */
  pendingMax: number;
  metrics: ServiceMetrics;
  logger: Logger;
}

/** Work that goes on until it is stopped. */
export interface BackgroundWork {
  /** Call this when sessions have ended: their clients are told at once. */
  sessionsEnded(): void;
  /** Resolves when all work has ended. */
  stop(): Promise<void>;
}

/** Starts the work. */
export function startBackgroundWork(options: WorkOptions): BackgroundWork {
  const { pool, metrics, logger } = options;
  const delivery = deliverLogoutNotices({ ...options, notices: metrics.logoutNotices });
  const stopPruning = pruneRegularly({
    prune: async () =>
      (await pruneAuthorisations(pool, options.authorisationsKeptDays)) +
      (await pruneAuditEvents(pool, options.authorisationsKeptDays)) +
      (await pruneLogoutNotices(options)),
    logger,
  });
  const stopPruningRecords = pruneRegularly({
    prune: async () =>
      (await pruneProviderRecords(pool)) + (await removeSurplus(pool, options.pendingMax)),
    // Anybody can create such records, so they are removed soon after they expire.
    times: { firstMs: 5000, intervalMs: 5000, restMs: 50 },
    logLevel: "debug",
    logger,
  });
  const stopCounting = repeat({ firstMs: 0, intervalMs: countIntervalMs }, () =>
    countNotices(options),
  );
  return {
    sessionsEnded: () => delivery.wake(),
    async stop() {
      await Promise.all([delivery.stop(), stopPruning(), stopPruningRecords(), stopCounting()]);
    },
  };
}

/** Counted regularly, so that metrics can be read while the database does not answer. */
const countIntervalMs = 10_000;

async function countNotices({ pool, metrics, logger }: WorkOptions): Promise<void> {
  try {
    const { pending, oldestSeconds } = await countLogoutNotices(pool);
    metrics.logoutNoticesPending.set(pending);
    metrics.logoutNoticeOldestSeconds.set(oldestSeconds);
  } catch (error) {
    logger.debug({ reason: errorText(error) }, "cannot count the logout notices");
  }
}

async function pruneLogoutNotices({ pool, metrics, logger }: WorkOptions): Promise<number> {
  const removed = await removeExpiredLogoutNotices(pool);
  for (const [clientId, count] of removed) {
    metrics.logoutNotices.inc({ result: "expired" }, count);
    logger.warn({ clientId, count }, "a client was not told of ended sessions in time");
  }
  return removed.values().reduce((sum, count) => sum + count, 0);
}
