/**
 * Two checkouts measured in one sitting. Each figure is measured on both, one right after the
 * other, in every round; a ratio is taken within the round, and the median of the ratios counts.
 */
import { threeDigits, withSpread } from "./figures.ts";
import { markdownTable } from "./markdown-table.ts";
import { ratiosOf, type Spread, spreadOf } from "./statistics.ts";

export interface Figure {
  readonly title: string;
  readonly unit: "requests/s" | "ms" | "MiB";
  /** Where the ratio new/old must lie. */
  readonly goal: Goal;
}

/** What is measured in one turn: several figures, where one run gives them all. */
export interface Probe<Side> {
  readonly figures: readonly Figure[];
  /** A value for each figure. */
  readonly measure: (side: Side) => Promise<readonly number[]>;
}

type Goal = { readonly min: number } | { readonly max: number };

export const rateGoal: Goal = { min: 0.97 };
export const binaryRateGoal: Goal = { min: 0.9 };
/** Of times and memory. */
export const costGoal: Goal = { max: 1.03 };

export interface Sides<Side> {
  readonly old: Side;
  readonly new: Side;
}

export interface MeasuredFigure extends Figure {
  /** One for each round. */
  readonly old: readonly number[];
  readonly new: readonly number[];
}

export interface CompareOptions {
  readonly seconds: number;
  readonly roundsMin: number;
  readonly signal: AbortSignal;
}

/** Measures until the time is over, and in any case as many rounds as there must be. */
export async function compareSides<Side>(
  sides: Sides<Side>,
  probes: readonly Probe<Side>[],
  { seconds, roundsMin, signal }: CompareOptions,
): Promise<readonly MeasuredFigure[]> {
  const turns = probes.map(({ measure, figures }) => ({
    measure,
    rows: figures.map((figure) => ({ ...figure, old: [] as number[], new: [] as number[] })),
  }));
  const endMs = performance.now() + seconds * 1000;
  for (let round = 0; round < roundsMin || performance.now() < endMs; round++) {
    for (const [index, { measure, rows }] of turns.entries()) {
      // Each side comes first as often as second.
      const isOldFirst = (round + index) % 2 === 0;
      for (const side of isOldFirst ? (["old", "new"] as const) : (["new", "old"] as const)) {
        signal.throwIfAborted();
        const values = await measure(sides[side]);
        for (const [place, row] of rows.entries()) row[side].push(values[place]!);
      }
    }
  }
  return turns.flatMap(({ rows }) => rows);
}

export function comparisonTable(rows: readonly MeasuredFigure[]): string {
  const right = "right" as const;
  const median = (values: readonly number[]) => threeDigits(spreadOf(values).median);
  const table = markdownTable(rows, [
    { title: "figure", align: "left", cell: ({ title }) => title },
    { title: "unit", align: "left", cell: ({ unit }) => unit },
    { title: "old", align: right, cell: (row) => median(row.old) },
    { title: "new", align: right, cell: (row) => median(row.new) },
    { title: "new/old", align: right, cell: (row) => withSpread(ratioOf(row)) },
    { title: "goal", align: "left", cell: ({ goal }) => goalText(goal) },
    { title: "", align: "left", cell: (row) => (isMet(row) ? "pass" : "MISS") },
  ]);
  const misses = rows.filter((row) => !isMet(row)).length;
  const rounds = `${rows[0]?.new.length ?? 0} rounds`;
  return `${table}\n\n${rounds}. ${misses} of ${rows.length} figures miss their goal.`;
}

function ratioOf(row: MeasuredFigure): Spread {
  return spreadOf(ratiosOf(row.new, row.old));
}

function isMet(row: MeasuredFigure): boolean {
  const { median } = ratioOf(row);
  return "min" in row.goal ? median >= row.goal.min : median <= row.goal.max;
}

function goalText(goal: Goal): string {
  return "min" in goal ? `≥ ${goal.min}` : `≤ ${goal.max}`;
}
