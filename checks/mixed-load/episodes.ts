/** Faults that happened, and whether what callers got meanwhile was allowed. */
import { setTimeout } from "node:timers/promises";
import type { CallLog, CallRecord } from "./call-log.ts";
import type { Fault } from "./faults.ts";
import type { Load } from "./load.ts";

/** One fault at one time. */
export interface Episode {
  readonly fault: Fault;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** The service must have recovered in this time; usually it has after a tenth of a second. */
export const recoveryTimeMaxMs = 10_000;
/** What is needed to see that no call fails any more. */
const quietMs = 1000;

/** Runs a fault, and waits until calls have succeeded for a second, or at most some time. */
export async function runEpisode(load: Load, fault: Fault, durationMs: number): Promise<Episode> {
  const startedMs = performance.now();
  await fault.run(load, durationMs);
  const endedMs = performance.now();
  const isQuiet = () => {
    const lastMs = endedMs + load.log.recoveryMs(endedMs);
    return performance.now() - lastMs > quietMs;
  };
  while (!isQuiet() && performance.now() - endedMs < recoveryTimeMaxMs) await setTimeout(50);
  return { fault, startedMs, endedMs };
}

/** One line for each kind of answer that was not allowed, with an example. */
export function problemsIn(log: CallLog, episodes: readonly Episode[]): readonly string[] {
  const problems = new Map<string, { count: number; example: CallRecord }>();
  for (const record of log.failed) {
    if (isAllowed(record, episodes)) continue;
    const what = `${record.kind}: ${record.outcome}`;
    const count = (problems.get(what)?.count ?? 0) + 1;
    problems.set(what, { count, example: record });
  }
  return Array.from(problems, ([what, { count, example }]) => {
    const last = episodes.findLast((each) => each.startedMs < example.endedMs);
    const lateMs = Math.round(example.startedMs - (last?.startedMs ?? 0));
    const tookMs = Math.round(example.endedMs - example.startedMs);
    const when = `begun ${lateMs} ms after ${last?.fault.name ?? "the start"}`;
    return `${count} × ${what} (${when}, took ${tookMs} ms)`;
  });
}

function isAllowed(record: CallRecord, episodes: readonly Episode[]): boolean {
  if (record.outcome.startsWith("wrong")) return false;
  return episodes.some(
    ({ fault, startedMs, endedMs }) =>
      record.endedMs >= startedMs &&
      record.startedMs <= endedMs + recoveryTimeMaxMs &&
      isAllowedDuring(fault, record),
  );
}

function isAllowedDuring(fault: Fault, record: CallRecord): boolean {
  const { kind, outcome } = record;
  const isOutage = fault.mayAnswer.includes("DATABASE_UNAVAILABLE");
  if (outcome === "failed") return isOutage;
  // A stream that has begun can only be broken off.
  const isStream = kind.endsWith("tree");
  if (outcome.startsWith("broken")) return fault.mayBreakConnections || (isOutage && isStream);
  return fault.mayAnswer.includes(outcome);
}
