/** The faults: each lasts until its function returns. */
import { setTimeout } from "node:timers/promises";
import { until } from "@stowage/process/testing";
import { type Load, makeCall } from "./load.ts";
import { workersOf } from "./usage.ts";
import type { World } from "./world.ts";

export interface Fault {
  readonly name: string;
  /** `durationMs` is the least time for which the fault lasts, if it lasts at all. */
  readonly run: (load: Load, durationMs: number) => Promise<void>;
  /** Reasons of error answers that callers may get until the service has recovered. */
  readonly mayAnswer: readonly string[];
  /** Whether connections to callers may break, beside streams that had begun. */
  readonly mayBreakConnections?: boolean;
}

/** The reasons that callers get while the database fails. */
const outage = ["DATABASE_UNAVAILABLE", "DENYLIST_UNAVAILABLE", "SERVER_BUSY", "TOO_MANY_CALLS"];

/** The faults of the database, by which every test of an outage begins. */
export const databaseFaults = {
  killed: {
    name: "kill -9 of PostgreSQL",
    mayAnswer: outage,
    async run({ world }, durationMs) {
      await world.server.crash();
      // The service starts its embedded server by itself.
      if (world.relay) await setTimeout(durationMs);
      await world.restartServer();
    },
  },
  stopped: {
    name: "SIGSTOP of PostgreSQL",
    mayAnswer: outage,
    async run({ world }, durationMs) {
      await world.server.pause();
      try {
        await setTimeout(durationMs);
      } finally {
        await world.server.resume();
      }
    },
  },
  reset: {
    name: "connections to PostgreSQL reset",
    mayAnswer: outage,
    async run({ world }, durationMs) {
      const endMs = performance.now() + durationMs;
      while (performance.now() < endMs) {
        relayOf(world).reset();
        await setTimeout(200);
      }
    },
  },
  swallowed: {
    name: "a proxy to PostgreSQL that swallows everything",
    mayAnswer: outage,
    async run({ world }, durationMs) {
      const relay = relayOf(world);
      relay.stall();
      await setTimeout(durationMs);
      await relay.cut();
      await relay.mend();
    },
  },
  // It lasts for good: the service must recover by new connections.
  frozen: {
    name: "connections to PostgreSQL frozen",
    mayAnswer: outage,
    async run({ world }) {
      relayOf(world).freeze();
    },
  },
} satisfies Record<string, Fault>;

/** Type-ahead: callers who no longer want an answer. */
export const abortedCalls: Fault = {
  name: "300 aborted calls",
  mayAnswer: ["SERVER_BUSY", "TOO_MANY_CALLS"],
  async run({ client, log, requests, world }) {
    const calls = Array.from({ length: 300 }, async (_, index) => {
      const { path, body, caller } = requests[index % requests.length] ?? requests[0]!;
      const token = world.issuer.mint(caller);
      const signal = AbortSignal.timeout(1 + (index % 40));
      const call = () => client.call({ path, body, token, signal });
      // An answer may be complete before the call is aborted.
      await log.record("aborted call", () =>
        call().then(
          () => "right",
          () => "right",
        ),
      );
    });
    await Promise.all(calls);
  },
};

const callerFaults: readonly Fault[] = [
  {
    name: "kill -9 of a worker",
    mayAnswer: ["SERVER_BUSY", "TOO_MANY_CALLS", "DENYLIST_UNAVAILABLE"],
    mayBreakConnections: true,
    async run({ world }) {
      const before = await workersOf(world.service.processId);
      const [victim] = before;
      if (victim === undefined) return;
      process.kill(victim, "SIGKILL");
      const isReplaced = async () => {
        const now = await workersOf(world.service.processId);
        return now.length === before.length && !now.includes(victim);
      };
      await until("another worker runs", isReplaced);
    },
  },
  {
    name: "slow readers of large trees",
    mayAnswer: ["SERVER_BUSY", "TOO_MANY_CALLS"],
    async run(load, durationMs) {
      const wait = (signal: AbortSignal) => setTimeout(durationMs, undefined, { signal });
      const readers = Array.from({ length: 4 }, () =>
        makeCall(load, load.largeTree, { readAfter: wait }),
      );
      await Promise.all(readers);
    },
  },
  abortedCalls,
  {
    name: "400 calls at once",
    mayAnswer: ["SERVER_BUSY", "TOO_MANY_CALLS"],
    async run(load) {
      const calls = Array.from({ length: 400 }, (_, index) =>
        makeCall(load, load.requests[index % load.requests.length]!),
      );
      await Promise.all(calls);
    },
  },
];

/** All faults that are possible in a world. */
export function faultsIn({ relay }: World): readonly Fault[] {
  const { killed, stopped, reset, swallowed, frozen } = databaseFaults;
  return [...(relay ? [reset, swallowed, frozen] : []), killed, stopped, ...callerFaults];
}

function relayOf({ relay }: World): NonNullable<World["relay"]> {
  if (!relay) throw new Error("Cannot disturb the network: an embedded database has none");
  return relay;
}
