/**
 * Measures subjects beside their baselines. In every round each probe measures both, one right
 * after the other, so that other work on the machine affects both alike. A ratio is computed
 * within the round, and the median of the ratios counts.
 */
import { markdownTable, threeDigits } from "./tables.ts";

export interface Figure {
  readonly title: string;
  readonly unit: "calls/s" | "ms" | "MiB" | "µs CPU" | "count";
  readonly goal?: Goal;
}

/** Bounds of the subject's value, or of the ratio subject/baseline; `none`: always 0 on both. */
type Goal =
  | { readonly ratioMin: number }
  | { readonly ratioMax: number }
  | { readonly valueMax: number }
  | { readonly none: true };

/**
 * Gives a value for each figure, or undefined where this side has none. `turnMs` is how long it
 * should take, if it can take any time.
 */
export type Measure = (turnMs: number) => Promise<readonly (number | undefined)[]>;

export interface Probe {
  /** Several where one measurement gives them all. */
  readonly figures: readonly Figure[];
  readonly baseline?: Measure;
  readonly subject: Measure;
}

interface ProbeOptions {
  /** No round begins later, but for the first ones. */
  readonly seconds: number;
  readonly roundsMin: number;
  readonly signal: AbortSignal;
}

interface MeasuredFigure extends Figure {
  /** One value for each round; none where the probe has no baseline. */
  readonly baseline: readonly number[];
  readonly subject: readonly number[];
}

/** Long enough for some garbage collections, short enough for many rounds. */
const turnMsMax = 250;

/** Measures all probes in rounds. The first round warms up and does not count. */
export async function measureProbes(
  probes: readonly Probe[],
  { seconds, roundsMin, signal }: ProbeOptions,
): Promise<readonly MeasuredFigure[]> {
  const turnMs = Math.min(turnMsMax, (seconds * 1000) / (2 * probes.length * (roundsMin + 1)));
  const measured = probes.map((probe) => ({
    probe,
    rows: probe.figures.map((figure) => ({
      ...figure,
      baseline: [] as number[],
      subject: [] as number[],
    })),
  }));
  const endMs = performance.now() + seconds * 1000;
  for (let round = 0; round <= roundsMin || performance.now() < endMs; round++) {
    const turns = measured.flatMap((one, index) =>
      sidesInOrder(round + index).map((side) => ({ ...one, side })),
    );
    for (const { probe, rows, side } of turns) {
      signal.throwIfAborted();
      const values = await probe[side]?.(turnMs);
      if (values === undefined || round === 0) continue;
      for (const [place, row] of rows.entries()) {
        const value = values[place];
        if (value !== undefined) row[side].push(value);
      }
    }
  }
  return measured.flatMap(({ rows }) => rows);
}

/** Each side comes first as often as second. */
function sidesInOrder(turn: number) {
  return turn % 2 === 0 ? (["baseline", "subject"] as const) : (["subject", "baseline"] as const);
}

/** @param names of the two columns that are compared. */
export function figuresTable(
  rows: readonly MeasuredFigure[],
  names: { readonly baseline: string; readonly subject: string },
): string {
  const median = (values: readonly number[]) =>
    values.length === 0 ? "" : threeDigits(medianOf(values));
  const verdicts = rows.map(verdictOf);
  const table = markdownTable(
    ["figure", "unit", names.baseline, names.subject, "ratio", "goal", ""],
    rows.map((row, index) => [
      row.title,
      row.unit,
      median(row.baseline),
      median(row.subject),
      ratioText(row),
      goalText(row),
      verdicts[index]!,
    ]),
  );
  const misses = verdicts.filter((verdict) => verdict === "MISS").length;
  return `${table}\n\n${rows[0]?.subject.length ?? 0} rounds. Goals missed: ${misses}.`;
}

/** Of each round: the subject's value for one of the baseline's. */
function ratiosOf({ baseline, subject }: MeasuredFigure): number[] {
  return subject.slice(0, baseline.length).map((value, round) => value / baseline[round]!);
}

function ratioText(row: MeasuredFigure): string {
  const ratios = ratiosOf(row);
  if (ratios.length === 0 || row.unit === "count") return "";
  const [min, max] = [0, 100].map((part) => threeDigits(percentileOf(ratios, part)));
  return `${threeDigits(medianOf(ratios))} (${min}–${max})`;
}

function goalText({ goal, unit }: MeasuredFigure): string {
  if (goal === undefined) return "";
  if ("none" in goal) return "none";
  if ("valueMax" in goal) return `≤ ${goal.valueMax} ${unit}`;
  const [sign, ratio] = "ratioMin" in goal ? ["≥", goal.ratioMin] : ["≤", goal.ratioMax];
  return `ratio ${sign} ${Number(ratio.toFixed(3))}`;
}

function verdictOf(row: MeasuredFigure): "" | "pass" | "MISS" {
  const { goal } = row;
  if (goal === undefined) return "";
  return isMet(goal, row) ? "pass" : "MISS";
}

function isMet(goal: Goal, row: MeasuredFigure): boolean {
  if ("none" in goal) return [...row.baseline, ...row.subject].every((value) => value === 0);
  if ("valueMax" in goal) return medianOf(row.subject) <= goal.valueMax;
  const median = medianOf(ratiosOf(row));
  return "ratioMin" in goal ? median >= goal.ratioMin : median <= goal.ratioMax;
}

function medianOf(values: readonly number[]): number {
  // Of an even number of values, the mean of the two in the middle.
  const [low, high] = [50, 50 + 50 / values.length].map((part) => percentileOf(values, part));
  return (low! + (values.length % 2 === 0 ? high! : low!)) / 2;
}

/** The smallest value that `percentile` % of the values do not exceed. */
export function percentileOf(values: ArrayLike<number>, percentile: number): number {
  if (values.length === 0) throw new RangeError("Cannot compute a percentile of no values");
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length) - 1)]!;
}
