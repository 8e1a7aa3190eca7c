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
    const service = await startService({
      ...settings,
      ...options,
      databaseUrl: database.databaseUrl,
      audiences: settings.audience,
      keyPublicationSeconds: settings.keyPublicationS,
      pendingLimits: {
        addressMax: settings.addressPendingMax,
        clientMax: settings.clientPendingMax,
      },
      lifetimes: {
        accessToken: settings.accessTokenLifetimeS,
        sessionIdle: settings.sessionIdleS,
        sessionMax: settings.sessionMaxS,
        refreshTokenIdle: settings.refreshTokenIdleS,
        refreshTokenMax: settings.refreshTokenMaxS,
        refreshTokenGrace: settings.refreshTokenGraceS,
        interaction: settings.signInPageS,
      },
    });
    reportReady(service.authUrl);
    await untilDrained(signal, settings.drainMs);
    logger.info("stopping");
    await service.stop();
  } finally {
    await database.close();
  }
}
