/** All contestants in one setting: one workload, one at a time or several at once. */
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { type RoundsOptions, runRounds } from "../frame/rounds.ts";
import type { Call, Contestant } from "./contestants.ts";
import { measureLatencies, measureRate, type SliceRate } from "./slices.ts";
import type { Workload } from "./workloads.ts";

export interface Setting {
  readonly workload: Workload;
  /** How many calls are under way at any moment. */
  readonly width: number;
}

export interface Measured {
  readonly contestant: Contestant;
  /** One for each round. */
  readonly rates: readonly SliceRate[];
  /** In nanoseconds. */
  readonly latencies: RecordableHistogram;
}

export async function measureSetting(
  contestants: readonly Contestant[],
  { workload, width }: Setting,
  options: RoundsOptions,
): Promise<readonly Measured[]> {
  const sliceMs = Math.min(sliceMsMax, options.seconds * sliceMsMax);
  const turns: Turn[] = [];
  for (const contestant of contestants) {
    const call = await contestant.prepare(workload);
    const calls = await warmUp(call, width, sliceMs, 25 * sliceMs);
    turns.push({ contestant, call, calls, rates: [], latencies: createHistogram() });
  }
  await runRounds(turns, options, async ({ call, calls, rates, latencies }) => {
    rates.push(await measureRate(call, { calls, width }));
    const latenciesMs = await measureLatencies(call, { calls, width });
    for (const ms of latenciesMs) latencies.record(Math.max(1, Math.round(ms * 1e6)));
  });
  return turns;
}

interface Turn extends Measured {
  readonly call: Call;
  /** As many as fill a slice. */
  readonly calls: number;
  readonly rates: SliceRate[];
}

/** Long enough for some collections of garbage, short enough that the machine stays the same. */
const sliceMsMax = 20;

/** Runs until the code is compiled and the caches are full. Gives the calls of a slice. */
async function warmUp(
  call: Call,
  width: number,
  sliceMs: number,
  warmUpMs: number,
): Promise<number> {
  const endMs = performance.now() + warmUpMs;
  let calls = 2 * width;
  do {
    const { callsPerSecond } = await measureRate(call, { calls, width });
    calls = Math.max(2 * width, Math.ceil((callsPerSecond * sliceMs) / 1000));
  } while (performance.now() < endMs);
  return calls;
}
