/** The revoked tokens, followed in the database that they are written to. */
import {
  type DenylistEvent,
  type PostgresDenylist,
  postgresDenylist,
  prepareDenylist,
} from "@stowage/access-token/postgres";
import { errorText, type Logger, openPool, untilAborted } from "@stowage/process";
import pg from "pg";

export interface DenylistSettings {
  readonly denylistLagMaxMs: number;
  readonly denylistWhenBehind: "refuse" | "serve";
}

/** A denylist that is followed until `close`. */
export interface OpenDenylist {
  readonly denylist: PostgresDenylist;
  /** Rejects while the list is older than it may be and tokens are refused for it. */
  readonly check: () => Promise<void>;
  close(): Promise<void>;
}

const applicationName = "stowage-uploads-denylist";
const answerTimeoutMs = 5000;
/** SQLSTATE: undefined_table, invalid_schema_name. */
const missingCodes: readonly unknown[] = ["42P01", "3F000"];

/**
 * Follows the denylist at `databaseUrl`, and waits for its first reading. When that takes longer
 * than the list may be old, the service starts all the same: tokens meet what the settings say.
 */
export async function openDenylist(
  databaseUrl: string,
  { denylistLagMaxMs: lagMaxMs, denylistWhenBehind: whenBehind }: DenylistSettings,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<OpenDenylist> {
  const pool = openPool({
    databaseUrl,
    connectionsMax: 1,
    applicationName,
    logger,
    // Or `close` would wait for a database that does not answer.
    answerTimeoutMs,
  });
  const logFailure = (error: unknown) =>
    logger.debug({ reason: errorText(error) }, "the denylist could not be read");
  const prepare = () => prepareDenylist(pool).catch(logFailure);
  const logEvent = (event: DenylistEvent) => {
    if (event.type === "behind") {
      logger.warn({ lagMs: Math.round(event.lagMs), whenBehind }, "the denylist is behind");
    }
    if (event.type === "current") logger.info("the denylist is current");
    if (event.type !== "failed") return;
    logFailure(event.error);
    // The database was out of reach before, or is another one now.
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
