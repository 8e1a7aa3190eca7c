/** The validator of access tokens, with the issuer's keys and the list of revoked tokens. */
import type { Registry } from "@prometheus-io/client";
import {
  type AccessTokenValidator,
  createAccessTokenValidator,
  type KeySetEvent,
  remoteKeySet,
} from "@stowage/access-token";
import {
  type DenylistEvent,
  type PostgresDenylist,
  postgresDenylist,
  prepareDenylist,
} from "@stowage/access-token/postgres";
import { errorText, type Logger, openPool, untilAborted } from "@stowage/process";
import pg from "pg";
import { TokenMetrics } from "../telemetry/token-metrics.ts";

interface TokenSettings extends DenylistSettings {
  readonly authUrl: string;
  readonly audience: string;
  readonly clockToleranceS: number;
}

interface DenylistSettings {
  readonly denylistLagMaxMs: number;
  readonly denylistWhenBehind: "refuse" | "serve";
}

interface Process {
  readonly logger: Logger;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
}

/** A validator that follows the denylist until `close`. */
interface OpenTokenValidator {
  readonly validator: AccessTokenValidator;
  readonly checkDenylist: OpenDenylist["check"];
  readonly close: OpenDenylist["close"];
}

/** @param denylistDatabaseUrl the database that the revoked tokens are written to. */
export async function openTokenValidator(
  denylistDatabaseUrl: string,
  settings: TokenSettings,
  { logger, signal, registry }: Process & { readonly registry: Registry },
): Promise<OpenTokenValidator> {
  const metrics = new TokenMetrics(registry);
  const { authUrl: issuer, audience, clockToleranceS: clockToleranceSeconds } = settings;
  const { denylist, check, close } = await openDenylist(denylistDatabaseUrl, settings, {
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
  return {
    validator,
    checkDenylist: check,
    close,
  };
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

/** A denylist that is read again and again until `close`. */
interface OpenDenylist {
  readonly denylist: PostgresDenylist;
  /** Rejects while tokens are refused because the list is too old. */
  readonly check: () => Promise<void>;
  close(): Promise<void>;
}

const applicationName = "stowage-uploads-denylist";
const answerTimeoutMs = 5000;
/** SQLSTATE: undefined_table, invalid_schema_name. */
const missingCodes: readonly unknown[] = ["42P01", "3F000"];

/**
 * Follows the denylist in a database and waits until it was read once. When that takes longer than
 * `denylistLagMaxMs`, the service starts nevertheless, and tokens are treated as
 * `denylistWhenBehind` says.
 */
export async function openDenylist(
  databaseUrl: string,
  { denylistLagMaxMs: lagMaxMs, denylistWhenBehind: whenBehind }: DenylistSettings,
  { logger, signal }: Process,
): Promise<OpenDenylist> {
  const pool = openPool({
    databaseUrl,
    connectionsMax: 1,
    applicationName,
    logger,
    // Without this, `close` would wait for a database that does not answer.
    answerTimeoutMs,
  });
  const logFailure = (error: unknown) =>
    logger.debug({ reason: errorText(error) }, "the denylist could not be read");
  const prepare = () => prepareDenylist(pool).catch(logFailure);
  const logEvent = (event: DenylistEvent) => {
    if (event.type === "behind") {
      const { lagMs, error } = event;
      const reason = error && errorText(error);
      logger.warn({ lagMs: Math.round(lagMs), whenBehind, reason }, "the denylist is behind");
    }
    if (event.type === "current") logger.info("the denylist is current");
    if (event.type !== "failed") return;
    logFailure(event.error);
    // The database was unavailable at the start, or is a different one now.
    if (isTableMissing(event.error)) void prepare();
  };

  await prepare();
  const denylist = postgresDenylist({
    createClient: () =>
      new pg.Client({ connectionString: databaseUrl, application_name: applicationName }),
    pool,
    lagMaxMs,
    whenBehind,
    onEvent: logEvent,
  });
  const patience = AbortSignal.any([signal, AbortSignal.timeout(lagMaxMs)]);
  await untilAborted(denylist.whenCurrent(), patience).catch(() => {
    logger.warn("the denylist has not been read yet");
  });
  return {
    denylist,
    async check() {
      if (whenBehind === "refuse" && denylist.lagMs > lagMaxMs) throw new Error("it is behind");
    },
    async close() {
      await denylist.close();
      await pool.end();
    },
  };
}

function isTableMissing(error: Error): boolean {
  return "code" in error && missingCodes.includes(error.code);
}
