/** Calls without a pause, a fault every so often, and whether every answer was allowed. */
import { type Episode, problemsIn, runEpisode, slowdowns } from "./episodes.ts";
import type { Running, Scenario } from "./scenario.ts";
import { describeUsage, growthOf, settledUsage, steadyUsage, type Usage } from "./usage.ts";

interface SoakOptions {
  /** Every fault happens at least once, even if that takes longer. */
  readonly durationMs: number;
  /** Default: that of the scenario. */
  readonly faultMaxMs?: number;
  readonly growthMax?: number;
  /** Whether times are judged. They mean something where nothing else runs. */
  readonly judgesTimes: boolean;
  readonly seed: number;
  readonly pace: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Memory and handles at the end, as a multiple of those at the start. */
const growthMaxDefault = 1.05;
/** Idle database connections are closed after a minute. */
const settlingMaxMs = 90_000;

/** Returns what went wrong: nothing, if all is well. */
export async function runSoak(scenario: Scenario, options: SoakOptions): Promise<string[]> {
  const { growthMax = growthMaxDefault, judgesTimes, say } = options;
  const running = await scenario.start(options);
  try {
    const { log, readUsage } = running;
    const before = readUsage && (await steadyUsage(readUsage));
    const stopLoad = await running.startLoad();
    const episodes = await runFaults(running, scenario, options);
    await stopLoad();
    const after =
      readUsage &&
      before &&
      (await settledUsage(readUsage, before, { ratioMax: growthMax, waitMaxMs: settlingMaxMs }));
    for (const line of log.describe()) say(`  ${line}`);
    const problems = [
      ...episodes.flatMap(({ fault, problems }) =>
        problems.map((each) => `${fault.name}: ${each}`),
      ),
      ...problemsIn(log, episodes),
      ...growthProblems(before, after, growthMax, say),
    ];
    for (const { fault, aloneMs, besideMs } of slowdowns(log, episodes)) {
      const ratio = besideMs / aloneMs;
      say(`${fault.name}: p99 ${aloneMs.toFixed(1)} ms alone, ${besideMs.toFixed(1)} ms beside it`);
      const isSlow = fault.slowdownMax !== undefined && ratio > fault.slowdownMax;
      if (judgesTimes && isSlow) problems.push(`${fault.name}: p99 is ${ratio.toFixed(1)} times`);
    }
    for (const problem of problems) say(`PROBLEM ${problem}`);
    const logged = problems.length > 0 ? running.serviceLog().trim() : "";
    if (logged !== "") say(`the service logged:\n${logged}`);
    return problems;
  } finally {
    await running.close();
  }
}

async function runFaults(
  { log, faults }: Running,
  { faultMaxMs: usualMaxMs, recoveryMaxMs }: Scenario,
  { durationMs, faultMaxMs = usualMaxMs, signal, say }: SoakOptions,
): Promise<readonly Episode[]> {
  const episodes: Episode[] = [];
  const endMs = performance.now() + durationMs;
  for (let turn = 0; turn < faults.length || performance.now() < endMs; turn++) {
    if (signal.aborted) break;
    const fault = faults[turn % faults.length]!;
    // The first time as long as it may be, then of any length.
    const part = turn < faults.length ? 1 : 0.1 + Math.random() * 0.9;
    const episode = await runEpisode(fault, { log, durationMs: faultMaxMs * part, recoveryMaxMs });
    episodes.push(episode);
    const lasted = ((episode.endedMs - episode.startedMs) / 1000).toFixed(1);
    const lateMs = Math.round(log.recoveryMs(episode.endedMs));
    say(`${fault.name}: lasted ${lasted} s, the last failing call began ${lateMs} ms later`);
  }
  return episodes;
}

function growthProblems(
  before: Usage | undefined,
  after: Usage | undefined,
  growthMax: number,
  say: SoakOptions["say"],
): readonly string[] {
  if (!before || !after) return [];
  say(`at the start ${describeUsage(before)}`);
  say(`at the end   ${describeUsage(after)}`);
  return Object.entries(growthOf(before, after))
    .filter(([, ratio]) => ratio > growthMax)
    .map(([what, ratio]) => `${what} at the end are ${ratio.toFixed(3)} of those at the start`);
}
