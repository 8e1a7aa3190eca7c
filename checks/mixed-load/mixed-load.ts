/** All kinds of calls at once, imports and revocations among them, and a fault every so often. */
import { setTimeout } from "node:timers/promises";
import { makeData } from "./data.ts";
import { type Episode, problemsIn, runEpisode } from "./episodes.ts";
import { type Fault, faultsIn } from "./faults.ts";
import {
  areAllRight,
  importUntil,
  type Load,
  prepareLoad,
  revokeUntil,
  startCalls,
  warmUp,
} from "./load.ts";
import {
  describeUsage,
  growthOf,
  readUsage,
  settledUsage,
  steadyUsage,
  type Usage,
} from "./usage.ts";
import { type DatabaseKind, startWorld, type World } from "./world.ts";

interface MixedLoadOptions {
  readonly kind: DatabaseKind;
  readonly durationMs: number;
  /** From the start of a fault to that of the next one. */
  readonly faultIntervalMs: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Receives a line after each fault. */
  readonly say: (line: string) => void;
}

interface MixedLoadReport {
  /** What went wrong; empty if nothing did. */
  readonly problems: readonly string[];
  /** Lines for people. */
  readonly summary: readonly string[];
  /** What the service logged. */
  readonly serviceLog: string;
  readonly before: Usage;
  readonly after: Usage;
}

const callsPerSecond = 25;
const importPauseMs = 4000;
const revocationPauseMs = 5000;
/** How long PostgreSQL, the network or slow readers fail. */
const faultDurationMs = 4000;
/** Idle database connections are closed after a minute. */
const settlingMaxMs = 90_000;

export async function runMixedLoad(options: MixedLoadOptions): Promise<MixedLoadReport> {
  const { kind, seed } = options;
  const data = makeData({ seed, hasLargeTree: true });
  const world = await startWorld({ kind, lines: data.lines, environment: { WORKERS: "2" } });
  try {
    const load = await prepareLoad(world, data, seed);
    const read = () => readUsage(world.service.processId, world.databaseUrl);
    await openEverything(load, world);
    const before = await steadyUsage(read);
    options.say(`warmed up: ${describeUsage(before)}`);

    const stopping = new AbortController();
    const calls = startCalls(load, callsPerSecond);
    const writing = [
      importUntil(stopping.signal, load, data, importPauseMs),
      revokeUntil(stopping.signal, load, revocationPauseMs),
    ];
    const episodes = await runFaults(load, options);
    stopping.abort();
    await Promise.all([calls.stop(), ...writing]);

    await areAllRight(load);
    load.client.closeIdle();
    const limits = { ratioMax: growthMax, waitMaxMs: settlingMaxMs };
    const after = await settledUsage(read, before, limits);
    const problems = [
      ...problemsIn(load.log, episodes),
      ...missingFaults(episodes, world, options),
    ];
    const summary = summarise(load, episodes, before, after);
    return { problems, summary, serviceLog: world.service.log(), before, after };
  } finally {
    await world.close();
  }
}

/** Memory and handles at the end, as a multiple of those at the start. */
export const growthMax = 1.05;

/** Opens all connections, and does everything once that memory is kept for. */
async function openEverything(load: Load, world: World): Promise<void> {
  await warmUp(load, 5);
  for (const fault of faultsIn(world)) {
    if (fault.mayAnswer.includes("DATABASE_UNAVAILABLE") || fault.mayBreakConnections) continue;
    await fault.run(load, 1000);
  }
  load.client.closeIdle();
}

async function runFaults(load: Load, options: MixedLoadOptions): Promise<readonly Episode[]> {
  const { durationMs, faultIntervalMs, signal, say } = options;
  const episodes: Episode[] = [];
  const faults = faultsIn(load.world);
  const endMs = performance.now() + durationMs;
  for (let turn = 0; performance.now() < endMs && !signal.aborted; turn++) {
    const nextMs = performance.now() + faultIntervalMs;
    const fault = faults[turn % faults.length];
    if (!fault) break;
    const episode = await runEpisode(load, fault, faultDurationMs);
    episodes.push(episode);
    say(describeEpisode(load, episode));
    const restMs = Math.min(nextMs, endMs) - performance.now();
    await setTimeout(Math.max(0, restMs), undefined, { signal }).catch(() => undefined);
  }
  return episodes;
}

/** A run that is long enough must have had every fault. */
function missingFaults(
  episodes: readonly Episode[],
  world: World,
  { durationMs, faultIntervalMs, signal }: MixedLoadOptions,
): readonly string[] {
  const faults: readonly Fault[] = faultsIn(world);
  if (signal.aborted || durationMs < faults.length * faultIntervalMs) return [];
  return faults
    .filter((fault) => !episodes.some((episode) => episode.fault === fault))
    .map(({ name }) => `there was no time for the fault: ${name}`);
}

function describeEpisode({ log }: Load, episode: Episode): string {
  const { fault, startedMs, endedMs } = episode;
  const lasted = ((endedMs - startedMs) / 1000).toFixed(1);
  const recovered = (log.recoveryMs(endedMs) / 1000).toFixed(1);
  return `${fault.name}: lasted ${lasted} s, the last failing call began ${recovered} s later`;
}

function summarise(
  { log }: Load,
  episodes: readonly Episode[],
  before: Usage,
  after: Usage,
): readonly string[] {
  const growth = growthOf(before, after);
  const percent = (ratio: number) => `${((ratio - 1) * 100).toFixed(1)} %`;
  return [
    `${log.total} calls, the slowest took ${(log.slowestMs / 1000).toFixed(1)} s`,
    ...log.describe().map((line) => `  ${line}`),
    `${episodes.length} faults`,
    `at the start: ${describeUsage(before)}`,
    `at the end:   ${describeUsage(after)}`,
    `growth: memory ${percent(growth.memoryBytes)}, handles ${percent(growth.handles)}`,
  ];
}
