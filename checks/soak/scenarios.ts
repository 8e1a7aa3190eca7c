/** The scenarios of `npm run soak`. */
import type { Scenario } from "./scenario.ts";
import { startCrowds, startNetworkFaults } from "./sign-in/scenarios.ts";
import {
  startEmbedded,
  startFullDisk,
  startNeighbours,
  startUnknownKeys,
  startUploads,
} from "./uploads/scenarios.ts";

/** Usually it is a tenth of a second. */
const recoveryMaxMs = 10_000;

export const scenarios: Readonly<Record<string, Scenario>> = {
  uploads: {
    summary: "the uploads service, while its database, the network to it and workers fail",
    ...{ faultMaxMs: 12_000, recoveryMaxMs, start: startUploads },
  },
  embedded: {
    summary: "the same with the embedded database, which the service starts again by itself",
    ...{ faultMaxMs: 12_000, recoveryMaxMs, start: startEmbedded },
  },
  "full-disk": {
    summary: "the disk of PostgreSQL is full: reads go on or are unavailable (needs root)",
    ...{ faultMaxMs: 1000, recoveryMaxMs, start: startFullDisk },
  },
  neighbours: {
    summary: "another organisation searches, reads trees and imports as much as it can",
    ...{ faultMaxMs: 10_000, recoveryMaxMs, start: startNeighbours },
  },
  "unknown-keys": {
    summary: "200 tokens a second under unknown keys, while the issuer answers, fails and hangs",
    ...{ faultMaxMs: 12_000, recoveryMaxMs, start: startUnknownKeys },
  },
  "sign-in": {
    summary: "20 people sign in and their pages refresh: the network to the database fails",
    // Shorter than the grace of refresh tokens.
    ...{ faultMaxMs: 15_000, recoveryMaxMs: 2000, start: startNetworkFaults },
  },
  crowds: {
    summary: "strangers who guess clients, and a flood of sign-ins, beside people and programs",
    // Pushed requests live a minute: after one, the number of stored records is stable.
    ...{ faultMaxMs: 120_000, recoveryMaxMs: 2000, start: startCrowds },
  },
};
