/** Follows the list of revoked tokens, which other services write. */
import {
  type DenylistEvent,
  type PostgresDenylist,
  postgresDenylist,
  prepareDenylist,
} from "@stowage/access-token/postgres";
import { errorText, type Logger, openPool, untilAborted } from "@stowage/process";

const applicationName = "stowage-uploads-denylist";
const answerTimeoutMs = 5000;
/** SQLSTATE: undefined_table, invalid_schema_name. */
const missingCodes: readonly unknown[] = ["42P01", "3F000"];

export interface DenylistSettings {
  readonly denylistLagMaxMs: number;
  readonly denylistWhenBehind: "refuse" | "serve";
}

interface Process {
  readonly logger: Logger;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
}

/** A denylist that is read again and again until `close`. */
export interface FollowedDenylist {
  readonly denylist: PostgresDenylist;
  /** Rejects while tokens are refused because the list is too old. */
  readonly check: () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Follows the denylist in a database and waits until it was read once. When that takes longer than
 * `denylistLagMaxMs`, the service starts nevertheless, and tokens are treated as
 * `denylistWhenBehind` says.
 */
export async function followDenylist(
  databaseUrl: string,
  { denylistLagMaxMs: lagMaxMs, denylistWhenBehind: whenBehind }: DenylistSettings,
  { logger, signal }: Process,
): Promise<FollowedDenylist> {
  const pool = openPool({
    databaseUrl,
    connectionsMax: 2,
    applicationName,
    logger,
    answerTimeoutMs,
  });
  /** Why the last attempt to read it failed; undefined after one that did not. */
  let failure: unknown;
  let wasBehind = false;
  const reason = () => failure && errorText(failure);
  const keepFailure = (error: unknown) => {
    failure = error;
    logger.debug({ reason: reason() }, "the denylist could not be read");
  };
  const prepare = () => prepareDenylist(pool).catch(keepFailure);
  const onEvent = (event: DenylistEvent) => {
    if (event.type === "behind") {
      wasBehind = true;
      const lagMs = Math.round(event.lagMs);
      logger.warn({ lagMs, whenBehind, reason: reason() }, "the denylist is behind");
    }
    if (event.type === "read") failure = undefined;
    // A log that shows the beginning of an outage also shows its end.
    if (event.type === "current") logger[wasBehind ? "warn" : "info"]("the denylist is current");
    if (event.type !== "failed") return;
    keepFailure(event.error);
    // The database was unavailable at the start, or is a different one now.
    if (isTableMissing(event.error)) void prepare();
  };

  await prepare();
  const denylist = postgresDenylist({
    pool,
    lagMaxMs,
    whenBehind,
    onEvent,
  });
  const patience = AbortSignal.any([signal, AbortSignal.timeout(lagMaxMs)]);
  await untilAborted(denylist.whenCurrent(), patience).catch(() => {
    wasBehind = true;
    logger.warn({ reason: reason() }, "the denylist has not been read yet");
  });
  return {
    denylist,
    async check() {
      const { lagMs } = denylist;
      if (whenBehind === "serve" || lagMs <= lagMaxMs) return;
      // Without a number that changes: each new reason is logged.
      const what =
        lagMs === Number.POSITIVE_INFINITY ? "never read" : `not read for ${lagMaxMs} ms`;
      throw new Error(`the denylist was ${what}`, { cause: failure });
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
