/** How the service divides its share of the database's connections among its pools. */
import type { ConnectionLimits, SettingsOf } from "@stowage/process";
import { connectionsFor, shareOfWorker } from "./fairness/slots.ts";
import type { settingsTable } from "./settings.ts";

/** Half of what the server allows; the rest is for other programs, and for other servers. */
const share = 0.5;
/** Two that cancel statements, one for readiness, two for the denylist, in each worker. */
const otherConnections = 5;
const rateConnections = 2;

type Settings = Pick<
  SettingsOf<typeof settingsTable>,
  | "workers"
  | "databaseConnectionsMax"
  | "longScanConnectionsMax"
  | "treeConnectionsMax"
  | "rateLimitStore"
>;

/**
 * Returns how many connections all workers together get for lists, and how many connections the
 * service then uses at most.
 *
 * @param isGiven whether DATABASE_CONNECTIONS_MAX is set; its default shrinks to the share.
 * @throws if they exceed what the server allows, or if too few are free for one list in each worker
 */
export function connectionBudget(
  settings: Settings,
  limits: ConnectionLimits,
  isGiven: boolean,
): { lists: number; connectionsMax: number } {
  const { workers } = settings;
  const ofWorker = (inAll: number) => connectionsFor(shareOfWorker(inAll, workers));
  const others =
    ofWorker(settings.treeConnectionsMax) +
    ofWorker(settings.longScanConnectionsMax) +
    otherConnections +
    (settings.rateLimitStore === "postgres" ? rateConnections : 0);
  const neededFor = (lists: number) => workers * (connectionsFor(lists) + others);
  let lists = Math.max(1, Math.floor(settings.databaseConnectionsMax / workers));
  const shareOfAllowed = Math.floor(limits.allowed * share);
  while (!isGiven && lists > 1 && neededFor(lists) > shareOfAllowed) lists -= 1;
  const most = neededFor(lists);
  // Connections are opened as calls need them; at the start, at least the fewest must be free.
  const needed = most > limits.allowed ? most : neededFor(1);
  if (needed > limits.allowed - limits.inUse) {
    throw new Error(
      `Cannot get enough database connections: need ${needed}, the server allows ` +
        `${limits.allowed}, and ${limits.inUse} are in use; raise max_connections, or lower ` +
        "WORKERS or settings such as DATABASE_CONNECTIONS_MAX",
    );
  }
  return { lists: lists * workers, connectionsMax: most };
}
