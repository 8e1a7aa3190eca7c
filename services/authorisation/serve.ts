/** A worker: opens the database, and serves until a signal. */
import {
  type EncryptionKeySource,
  type Logger,
  type Metrics,
  reportReady,
  type SettingsOf,
  untilDrained,
} from "@stowage/process";
import { startService } from "./service.ts";
import type { serviceSettings } from "./settings.ts";
import { openStore } from "./store/open-store.ts";

interface ServeOptions {
  readonly encryptionKeys: EncryptionKeySource;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export async function serve(
  settings: SettingsOf<typeof serviceSettings>,
  options: ServeOptions,
): Promise<void> {
  const { logger, signal } = options;
  const database = await openStore({ ...settings, logger });
  try {
    const { databaseUrl } = database;
    const service = await startService({ ...settings, ...options, databaseUrl });
    reportReady(service.authUrl);
    await untilDrained(signal, settings.drainMs);
    logger.info("stopping");
    await service.stop();
  } finally {
    await database.close();
  }
}
