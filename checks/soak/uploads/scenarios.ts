/** The scenarios of the uploads service: which world, which load, which faults. */
import { makeTemporaryFolder } from "@stowage/process/testing";
import { atConstantRate } from "../../testing/load.ts";
import type { Fault } from "../episodes.ts";
import { networkFaults, serverFaults } from "../network-faults.ts";
import type { Running, StartOptions } from "../scenario.ts";
import { readUsage } from "../usage.ts";
import { makeData } from "./data.ts";
import {
  busy,
  busyTrees,
  callsAtOnce,
  fullDisk,
  killedWorker,
  mountDisk,
  outage,
  unmountDisk,
} from "./faults.ts";
import { areAllRight, type Load, makeCall, prepareLoad, warmUp } from "./load.ts";
import { neighbours } from "./neighbours.ts";
import { unknownKeys } from "./unknown-keys.ts";
import { startWorld, type WorldOptions } from "./world.ts";
import { importUntil, revokeUntil } from "./writers.ts";

export function startUploads(options: StartOptions): Promise<Running> {
  return startLoad(options, { kind: "external" }, (load) => [
    ...networkFaults(load.world.relay!, outage),
    ...databaseFaults(load),
    killedWorker(load),
    callsAtOnce(load),
  ]);
}

export function startEmbedded(options: StartOptions): Promise<Running> {
  return startLoad(options, { kind: "embedded" }, (load) => [
    ...databaseFaults(load),
    killedWorker(load),
  ]);
}

export function startNeighbours(options: StartOptions): Promise<Running> {
  return startLoad(options, { kind: "external", hasWriters: false }, neighbours);
}

export function startUnknownKeys(options: StartOptions): Promise<Running> {
  return startLoad(options, { kind: "external" }, unknownKeys);
}

export async function startFullDisk(options: StartOptions): Promise<Running> {
  const folder = await makeTemporaryFolder();
  const disk = await mountDisk(folder.path);
  // Sorts and hashes go to files.
  const databaseOptions = "-c work_mem=64kB";
  const world = { kind: "external", folder: disk, databaseOptions, hasWriters: false } as const;
  const running = await startLoad(options, world, (load) => [fullDisk(load, disk)]);
  return {
    ...running,
    async close() {
      await running.close();
      await unmountDisk(disk);
      await folder.remove();
    },
  };
}

function databaseFaults({ world: { server, restartServer } }: Load): readonly Fault[] {
  return serverFaults(server, restartServer, outage);
}

const callsPerSecond = 25;
const importPauseMs = 4000;
const revocationPauseMs = 5000;

/** Callers, imports and revocations at once, unless there are to be no writers. */
async function startLoad(
  { seed, pace }: StartOptions,
  { hasWriters = true, ...worldOptions }: Omit<WorldOptions, "lines"> & { hasWriters?: boolean },
  faultsOf: (load: Load, pace: number) => readonly Fault[],
): Promise<Running> {
  const data = makeData(seed);
  const environment = { WORKERS: "2" };
  const world = await startWorld({ environment, lines: data.lines, ...worldOptions });
  try {
    const load = await prepareLoad(world, data, seed);
    const faults = faultsOf(load, pace);
    await warmUp(load, 5);
    // Memory is kept for all that happened once.
    for (const { mayGet = busy, run } of faults) {
      if (mayGet === busy || mayGet === busyTrees) await run(1000);
    }
    load.client.closeIdle();
    load.log.records = [];
    return {
      log: load.log,
      faults,
      startLoad: async () => {
        const requestOf = (number: number) => load.requests[(number * 7) % load.requests.length]!;
        const calls = atConstantRate(callsPerSecond, (number) => makeCall(load, requestOf(number)));
        const stopping = new AbortController();
        const { signal } = stopping;
        const writing = hasWriters
          ? [
              importUntil(signal, load, data, importPauseMs),
              revokeUntil(signal, load, revocationPauseMs),
            ]
          : [];
        return async () => {
          stopping.abort();
          await Promise.all([calls.stop(), ...writing]);
          await areAllRight(load);
          load.client.closeIdle();
        };
      },
      readUsage: () => readUsage(world.service.processId, world.databaseUrl),
      serviceLog: world.service.log,
      close: world.close,
    };
  } catch (error) {
    await world.close();
    throw error;
  }
}
