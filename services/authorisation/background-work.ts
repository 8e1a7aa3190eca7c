/** Work besides answering requests: tells clients of logouts, and prunes old records. */
import { type Logger, pruneRegularly } from "@stowage/process";
import type pg from "pg";
import { deliverLogoutNotices } from "./logout/deliver-notices.ts";
import type { ServiceMetrics } from "./metrics/service-metrics.ts";
import type { KeyRing } from "./signing/key-ring.ts";
import { pruneAuditEvents } from "./store/audit-events.ts";
import { pruneAuthorisations } from "./store/authorisations.ts";
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

/** Starts the work. The returned function stops it, and resolves when all of it has ended. */
export function startBackgroundWork(options: WorkOptions): () => Promise<void> {
  const { pool, metrics, logger } = options;
  const stopDelivery = deliverLogoutNotices({ ...options, notices: metrics.logoutNotices });
  const stopPruning = pruneRegularly({
    prune: async () =>
      (await pruneAuthorisations(pool, options.authorisationsKeptDays)) +
      (await pruneAuditEvents(pool, options.authorisationsKeptDays)),
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
  return async () => {
    await Promise.all([stopDelivery(), stopPruning(), stopPruningRecords()]);
  };
}
