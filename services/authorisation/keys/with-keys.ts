/** Gives a command the database, and what the signing keys in it are encrypted with. */
import { createLogger, readSettings } from "@stowage/process";
import { keyCommandSettings } from "../settings.ts";
import type { ChangeOptions } from "../signing/change-keys.ts";
import { findEncryptionKeys, openEncryptionKeys } from "../signing/encryption-keys.ts";
import { isAnyKeySealed } from "../store/seal-signing-keys.ts";
import type { WithPool } from "../store/with-pool.ts";

/** What a command can change the keys with. */
export interface KeyWork extends ChangeOptions {
  /** How long a new key is published before it signs. */
  readonly publicationMs: number;
}

/** Runs an action on the keys, and closes the database whatever happens. */
export type WithKeys = <T>(action: (work: KeyWork) => Promise<T>) => Promise<T>;

/** Makes a {@link WithKeys} for the settings in the environment. */
export function withKeysOf(
  withPool: WithPool,
  environment: Record<string, string | undefined>,
): WithKeys {
  return async (action) => {
    const settings = readSettings(keyCommandSettings, environment);
    const source = await findEncryptionKeys(settings);
    const logger = createLogger({ name: "keys", level: settings.logLevel });
    return await withPool(async (pool) => {
      const encryptionKeys = await openEncryptionKeys({
        source,
        isInUse: () => isAnyKeySealed(pool),
        logger,
      });
      const publicationMs = settings.keyPublicationS * 1000;
      return await action({ pool, encryptionKeys, publicationMs });
    });
  };
}
