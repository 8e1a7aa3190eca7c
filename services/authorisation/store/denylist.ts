/** The denylist, which this service writes and follows. */
import { Gauge, type Registry } from "@prometheus-io/client";
import {
  type DenylistEvent,
  type PostgresDenylist,
  postgresDenylist,
  prepareDenylist,
} from "@stowage/access-token/postgres";
import { errorText, type Logger, openPool } from "@stowage/process";

/** The longest wait for the database, and so for closing. */
const answerTimeoutMs = 5_000;

const applicationName = "stowage-authorisation-denylist";

export interface OpenDenylist {
  denylist: PostgresDenylist;
  close(): Promise<void>;
}

/** Opens the denylist and reads it. Creates its table if it is missing. */
export async function openDenylist(databaseUrl: string, logger: Logger): Promise<OpenDenylist> {
  const pool = openPool({
    databaseUrl,
    connectionsMax: 2,
    applicationName,
    answerTimeoutMs,
    logger,
  });
  try {
    await prepareDenylist(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const denylist = postgresDenylist({ pool, onEvent: eventLog(logger) });
  const close = async () => {
    await denylist.close();
    await pool.end();
  };
  try {
    await denylist.whenCurrent();
    return { denylist, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Registers the age of the denylist, which is read whenever metrics are. */
export function measureDenylist(registry: Registry, denylist: PostgresDenylist): void {
  new Gauge({
    name: "stowage_denylist_lag_seconds",
    help: "Age of the denylist of revoked tokens: later entries may not be in force yet.",
    aggregator: "max",
    registers: [registry],
    collect() {
      // Infinite before the first load and after the end, which JSON cannot express.
      this.set(Math.min(denylist.lagMs, performance.now()) / 1000);
    },
  });
}

function eventLog(logger: Logger): (event: DenylistEvent) => void {
  let wasBehind = false;
  return (event) => {
    if (event.type === "behind") {
      wasBehind = true;
      logger.warn({ reason: event.error && errorText(event.error) }, "the denylist is behind");
    }
    // A log that shows the beginning of an outage also shows its end.
    if (event.type === "current") logger[wasBehind ? "warn" : "info"]("the denylist is current");
    if (event.type === "failed") {
      logger.debug({ reason: errorText(event.error) }, "the denylist could not be read");
    }
  };
}
