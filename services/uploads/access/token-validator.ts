/** The validator of access tokens, with the issuer's keys and the list of revoked tokens. */
import type { Registry } from "@prometheus-io/client";
import {
  type AccessTokenValidator,
  createAccessTokenValidator,
  type KeySetEvent,
  remoteKeySet,
} from "@stowage/access-token";
import { errorText, type Logger } from "@stowage/process";
import { TokenMetrics } from "../telemetry/token-metrics.ts";
import { type DenylistSettings, type FollowedDenylist, followDenylist } from "./follow-denylist.ts";

interface TokenSettings extends DenylistSettings {
  readonly authUrl: string;
  readonly audience: string;
  readonly clockToleranceS: number;
}

interface TokenProcess {
  readonly logger: Logger;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
  readonly registry: Registry;
}

/** A validator that follows the denylist until `close`. */
interface OpenTokenValidator {
  readonly validator: AccessTokenValidator;
  readonly checkDenylist: FollowedDenylist["check"];
  readonly close: FollowedDenylist["close"];
}

/** @param denylistDatabaseUrl the database that the revoked tokens are written to. */
export async function openTokenValidator(
  denylistDatabaseUrl: string,
  settings: TokenSettings,
  { logger, signal, registry }: TokenProcess,
): Promise<OpenTokenValidator> {
  const metrics = new TokenMetrics(registry);
  const { authUrl: issuer, audience, clockToleranceS: clockToleranceSeconds } = settings;
  const { denylist, check, close } = await followDenylist(denylistDatabaseUrl, settings, {
    logger,
    signal,
  });
  metrics.watchDenylist(denylist);
  const onEvent = (event: KeySetEvent) => {
    metrics.keySetEvent(event);
    logKeySetEvent(event, logger);
  };
  const keySet = remoteKeySet({ issuer, onEvent });
  const validator = createAccessTokenValidator({
    issuer,
    audience,
    keySet,
    denylist,
    clockToleranceSeconds,
  });
  metrics.watchCache(validator.cacheStatistics);
  return { validator, checkDenylist: check, close };
}

/** Requests with unknown keys are not logged: anyone can send them. */
function logKeySetEvent(event: KeySetEvent, logger: Logger): void {
  if (event.type === "fetchFailed") {
    logger.warn({ reason: errorText(event.error) }, "the issuer's keys could not be fetched");
  }
  if (event.type !== "fetched") return;
  const { added, withdrawn, replaced } = event;
  if (added.length + withdrawn.length + replaced.length === 0) return;
  logger.info({ added, withdrawn, replaced }, "the issuer's keys have changed");
}
