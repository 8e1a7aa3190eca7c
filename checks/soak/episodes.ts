/** Faults that happened, and whether what callers got meanwhile was allowed. */
import { setTimeout } from "node:timers/promises";
import type { CallLog, CallRecord } from "./call-log.ts";

export interface Fault {
  readonly name: string;
  /** Lasts for about the given time, if it lasts at all. Returns what went wrong. */
  readonly run: (durationMs: number) => Promise<readonly string[]>;
  /** Matches `kind: outcome` of calls that may fail until the service has recovered. */
  readonly mayGet?: RegExp;
  /** The service must recover while it lasts, because new connections work. */
  readonly healsAtOnce?: true;
  /** Calls that begin so long after the fault must succeed, if that differs from the scenario's. */
  readonly recoveryMaxMs?: number;
  /** The most that it may multiply the 99th percentile of the times of calls. */
  readonly slowdownMax?: number;
}

/** One fault at one time, after a turn without one. */
export interface Episode {
  readonly fault: Fault;
  readonly aloneMs: number;
  readonly startedMs: number;
  readonly endedMs: number;
  /** From here on, calls must succeed after `recoveryMaxMs`. */
  readonly backMs: number;
  readonly recoveryMaxMs: number;
  readonly problems: readonly string[];
}

/** What is needed to see that no call fails any more. */
const quietMs = 1000;

interface EpisodeOptions {
  readonly log: CallLog;
  readonly durationMs: number;
  readonly recoveryMaxMs: number;
}

/** A turn without a fault, one with it, and the time until calls have succeeded for a second. */
export async function runEpisode(fault: Fault, options: EpisodeOptions): Promise<Episode> {
  const { log, durationMs, recoveryMaxMs } = { ...options, ...fault };
  const aloneMs = performance.now();
  await setTimeout(durationMs);
  const startedMs = performance.now();
  const problems = await fault.run(durationMs);
  const endedMs = performance.now();
  const isQuiet = () => {
    const lastMs = endedMs + log.recoveryMs(endedMs);
    return performance.now() - lastMs > quietMs;
  };
  while (!isQuiet() && performance.now() - endedMs < recoveryMaxMs) await setTimeout(50);
  const backMs = fault.healsAtOnce ? startedMs : endedMs;
  return { fault, aloneMs, startedMs, endedMs, backMs, recoveryMaxMs, problems };
}

/** One line for each kind of answer that was not allowed, with an example. */
export function problemsIn(log: CallLog, episodes: readonly Episode[]): readonly string[] {
  const bad = log.records.filter(
    (record) => record.outcome !== "right" && !episodes.some((each) => allows(each, record)),
  );
  const kinds = Map.groupBy(bad, ({ kind, outcome }) => `${kind}: ${outcome}`);
  return Array.from(kinds, ([what, [{ startedMs, endedMs } = bad[0]!, ...more]]) => {
    const last = episodes.findLast((each) => each.startedMs < endedMs);
    const begun = Math.round(startedMs - (last?.startedMs ?? 0));
    const when = `begun ${begun} ms after ${last?.fault.name ?? "the start"} began`;
    const tookMs = Math.round(endedMs - startedMs);
    return `${1 + more.length} × ${what} (${when}, took ${tookMs} ms)`;
  });
}

function allows({ fault, ...episode }: Episode, { kind, outcome, ...record }: CallRecord): boolean {
  return (
    fault.mayGet?.test(`${kind}: ${outcome}`) === true &&
    record.endedMs >= episode.startedMs &&
    record.startedMs <= episode.backMs + episode.recoveryMaxMs
  );
}

/** The 99th percentile of the times of right calls of each fault: alone, and beside it. */
export function slowdowns(log: CallLog, episodes: readonly Episode[]) {
  const right = log.records.filter(({ outcome }) => outcome === "right");
  const between = (startMs: number, endMs: number) =>
    right
      .filter(({ startedMs }) => startedMs >= startMs && startedMs < endMs)
      .map(({ startedMs, endedMs }) => endedMs - startedMs);
  const groups = Map.groupBy(episodes, ({ fault }) => fault);
  return Array.from(groups, ([fault, ofFault]) => {
    const alone = ofFault.flatMap(({ aloneMs, startedMs }) => between(aloneMs, startedMs));
    const beside = ofFault.flatMap(({ startedMs, endedMs }) => between(startedMs, endedMs));
    return { fault, aloneMs: p99(alone), besideMs: p99(beside) };
  });
}

function p99(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
