/** How the service divides its share of the database's connections among its pools. */
import { divideConnections, type SettingsOf } from "@stowage/process";
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

/** @param isGiven whether DATABASE_CONNECTIONS_MAX is set; its default shrinks to the share. */
export function connectionBudget(
  settings: Settings,
  limits: Parameters<typeof divideConnections>[0]["limits"],
  isGiven: boolean,
): ReturnType<typeof divideConnections> {
  const { workers } = settings;
  const ofWorker = (inAll: number) => connectionsFor(shareOfWorker(inAll, workers));
  const others =
    ofWorker(settings.treeConnectionsMax) +
    ofWorker(settings.longScanConnectionsMax) +
    otherConnections +
    (settings.rateLimitStore === "postgres" ? rateConnections : 0);
  return divideConnections({
    limits,
    share,
    workers,
    requests: settings.databaseConnectionsMax,
    isGiven,
    connectionsOfWorker: (lists) => connectionsFor(lists) + others,
  });
}
