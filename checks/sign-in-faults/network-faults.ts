/**
 * A network that fails at random between the authorisation service and its database, while people
 * sign in and their pages refresh tokens.
 */
import { setTimeout } from "node:timers/promises";
import { untilAborted } from "@stowage/process";
import { CallLog, type CallRecord } from "../mixed-load/call-log.ts";
import { type Got, getTokens, refresh, signIn } from "./sign-in-calls.ts";
import { type Person, startWorld, type World } from "./world.ts";

interface NetworkOptions {
  readonly durationMs: number;
  /** The longest fault: shorter than the grace of refresh tokens. */
  readonly faultMaxMs: number;
  /** Without faults between two of them; longer than the time to recover. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

interface NetworkReport {
  /** What went wrong; empty if nothing did. */
  readonly problems: readonly string[];
  /** Lines for people. */
  readonly summary: readonly string[];
}

const clientsCount = 20;
/** In which a token or code that was used gets the same answer again (REFRESH_TOKEN_GRACE_S). */
const graceMs = 30_000;
const graceIsOver = "tried for longer than the grace";
/** Calls that begin so long after the network is back must succeed. */
export const recoveryMaxMs = 2000;
/** As a page would, after `Retry-After`. */
const retryMs = 500;
/** A call that takes longer has not ended. */
const callMaxMs = 60_000;

export async function runNetworkFaults(options: NetworkOptions): Promise<NetworkReport> {
  const world = await startWorld(clientsCount, { ADDRESS_LOGINS_PER_MINUTE_MAX: "0" });
  try {
    const log = new CallLog();
    const stopping = new AbortController();
    const clients = world.people.map((person) => useService(world, person, log, stopping.signal));
    while ((log.counts.get("refresh")?.get("right") ?? 0) < clientsCount) await setTimeout(50);
    // The first calls of a process are slow.
    log.clear();
    const episodes = await runFaults(world, log, options);
    stopping.abort();
    await Promise.all(clients);
    const summary = [...summarise(log, episodes), ...faultsIn(world.log())];
    return { problems: problemsIn(log, episodes), summary };
  } finally {
    await world.relay.mend();
    await world.close();
  }
}

/** Signs in and refreshes, again and again. It repeats refused requests, as clients do. */
async function useService(world: World, person: Person, log: CallLog, signal: AbortSignal) {
  const pause = async (ms: number) =>
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  /** Undefined if the service says that trying again is useless, or at the end. */
  const get = async <T>(kind: string, call: () => Promise<Got<T>>): Promise<T | undefined> => {
    const firstMs = performance.now();
    while (!signal.aborted) {
      let result: T | undefined;
      const outcome = await log.record(kind, async () => {
        const answer = await untilAborted(call(), AbortSignal.timeout(callMaxMs));
        if ("refused" in answer) {
          // Several faults in succession may last longer than the grace.
          const isLate = performance.now() - firstMs > graceMs;
          return isLate && answer.refused.includes("invalid_grant") ? graceIsOver : answer.refused;
        }
        result = answer.got;
        return "right";
      });
      const isFinal = outcome === graceIsOver || outcome.startsWith("wrong");
      if (outcome === "right" || isFinal) return result;
      await pause(retryMs);
    }
    return undefined;
  };
  while (!signal.aborted) {
    const form = await get("sign-in", () => signIn(world, person));
    let token = form && (await get("code", () => getTokens(world, form)));
    for (let times = 5 + Math.random() * 30; times > 0 && token && !signal.aborted; times--) {
      await pause(Math.random() * 2000);
      const current: string = token;
      token = await get("refresh", () => refresh(world, current));
    }
  }
}

/** One fault at one time. */
interface Episode {
  readonly name: string;
  readonly startedMs: number;
  /** From here on, new connections work. */
  readonly backMs: number;
}

type Fault = (relay: World["relay"], durationMs: number) => Promise<unknown>;

/** Each lasts until its function returns; those that `heal` let new connections through at once. */
const faults: Readonly<Record<string, { run: Fault; heals?: true }>> = {
  cut: {
    async run(relay, durationMs) {
      await relay.cut();
      await setTimeout(durationMs);
    },
  },
  "freeze of everything": {
    async run(relay, durationMs) {
      relay.stall();
      relay.freeze();
      await setTimeout(durationMs);
    },
  },
  "freeze of existing connections": {
    heals: true,
    async run(relay, durationMs) {
      relay.freeze();
      await setTimeout(durationMs);
    },
  },
  reset: {
    heals: true,
    async run(relay) {
      relay.reset();
    },
  },
  delay: {
    async run(relay, durationMs) {
      relay.delay(10 + Math.random() * 140);
      await setTimeout(durationMs);
    },
  },
};

async function runFaults(
  world: World,
  log: CallLog,
  { durationMs, faultMaxMs, pauseMs, signal, say }: NetworkOptions,
): Promise<readonly Episode[]> {
  const episodes: Episode[] = [];
  const endMs = performance.now() + durationMs;
  for (let turn = 0; performance.now() < endMs && !signal.aborted; turn++) {
    const names = Object.keys(faults);
    // Each once, then at random.
    const name = names[turn < names.length ? turn : Math.floor(Math.random() * names.length)] ?? "";
    const startedMs = performance.now();
    await faults[name]?.run(world.relay, faultMaxMs * (0.1 + Math.random() * 0.9));
    await world.relay.mend();
    const endedMs = performance.now();
    const episode = { name, startedMs, backMs: faults[name]?.heals ? startedMs : endedMs };
    episodes.push(episode);
    await setTimeout(recoveryMaxMs + pauseMs);
    const lasted = ((endedMs - startedMs) / 1000).toFixed(1);
    const lastMs = Math.round(log.recoveryMs(episode.backMs));
    say(
      `${name}: lasted ${lasted} s; the last failing call began ${lastMs} ms after recovery began`,
    );
  }
  return episodes;
}

/** One line for each kind of answer that was not allowed. */
function problemsIn(log: CallLog, episodes: readonly Episode[]): readonly string[] {
  const problems = new Map<string, number>();
  for (const record of log.failed) {
    const isNamed = !/^(wrong|broken)/.test(record.outcome);
    if (record.outcome === graceIsOver || (isNamed && isDuring(record, episodes))) continue;
    const late = isNamed
      ? `, begun ${lateness(record, episodes)} ms after the network was back`
      : "";
    const what = `${record.kind}: ${record.outcome}${late}`;
    problems.set(what, (problems.get(what) ?? 0) + 1);
  }
  return Array.from(problems, ([what, count]) => `${count} × ${what}`);
}

function isDuring(record: CallRecord, episodes: readonly Episode[]): boolean {
  return episodes.some(
    ({ startedMs, backMs }) =>
      record.endedMs >= startedMs && record.startedMs <= backMs + recoveryMaxMs,
  );
}

function lateness({ startedMs }: CallRecord, episodes: readonly Episode[]): number {
  const last = episodes.findLast((episode) => episode.backMs <= startedMs);
  return Math.round(startedMs - (last?.backMs ?? startedMs));
}

function summarise(log: CallLog, episodes: readonly Episode[]): readonly string[] {
  const recoveries = log.failed.flatMap(({ startedMs, endedMs }) => {
    const last = episodes.findLast((episode) => episode.backMs < startedMs);
    // A call that overlaps another fault may have failed by that.
    const isByOther = episodes.some(
      (episode) => episode.backMs >= startedMs && episode.startedMs <= endedMs,
    );
    return last && !isByOther ? [startedMs - last.backMs] : [];
  });
  return [
    `${log.total} calls, the slowest took ${(log.slowestMs / 1000).toFixed(1)} s`,
    ...log.describe().map((line) => `  ${line}`),
    `${episodes.length} faults; the last failing call began at most ` +
      `${Math.round(Math.max(0, ...recoveries))} ms after the network was back`,
  ];
}

/** What the service logged as errors, and how often. */
export function faultsIn(serviceLog: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of serviceLog.split("\n")) {
    const [, message] = /"level":"?(?:error|50)"?.*?"message":"([^"]*)"/.exec(line) ?? [];
    if (message !== undefined) counts.set(message, (counts.get(message) ?? 0) + 1);
  }
  return Array.from(counts, ([message, count]) => `  logged: ${count} × ${message}`);
}
