/** What lists must reach, by the medians of all rounds. */
import { threeDigits, wholeNumber } from "../frame/figures.ts";
import type { Goal } from "../frame/goals.ts";
import type { Spread } from "../frame/statistics.ts";
import type { NewestRow } from "./measure-newest.ts";
import type { SortRow } from "./measure-sorts.ts";
import { latePage } from "./sorted-pages.ts";

const ofFloorMin = 0.7;
const ofPlainMin = 6;
const sortTimeMax = 1.3;
const lateTimeMax = 1.2;
const timeOfOtherMax = 1.3;

const scopes = ["folder", "bucket", "subtree"] as const;

/** @param beside how many uploads the other data has, where there is any. */
export function listGoals(
  newest: readonly NewestRow[],
  sorts: readonly SortRow[],
  beside: number | undefined,
): Goal[] {
  const ofService = newest.filter(({ contestant }) => contestant.name === "service");
  return [
    ...ofService.map((row) => atLeast("floor", ofFloorMin, row.connections, row.ofFloor)),
    ...ofService.map((row) => atLeast("plain", ofPlainMin, row.connections, row.ofPlain)),
    ...scopes.map((scope) =>
      worst(
        `every sort of the ${scope} ≤ ${sortTimeMax} × the time of newest`,
        sortTimeMax,
        sorts.filter(({ shape }) => shape.scope === scope),
        ({ timeOfNewest }) => timeOfNewest,
      ),
    ),
    worst(
      `page ${latePage} ≤ ${lateTimeMax} × the time of the first`,
      lateTimeMax,
      sorts,
      ({ lateTimeOfFirst }) => lateTimeOfFirst,
    ),
    ...(beside === undefined ? [] : [otherGoal(sorts, beside)]),
  ];
}

function otherGoal(sorts: readonly SortRow[], uploads: number): Goal {
  return worst(
    `every list ≤ ${timeOfOtherMax} × its time in ${wholeNumber(uploads)} uploads`,
    timeOfOtherMax,
    sorts,
    ({ timeOfOther }) => timeOfOther!,
  );
}

function atLeast(yardstick: string, least: number, connections: number, ratio: Spread): Goal {
  const by = connections === 1 ? "1 connection" : `${connections} connections`;
  return {
    title: `newest of the folder ≥ ${least} × ${yardstick}, ${by}`,
    outcome: threeDigits(ratio.median),
    isMet: ratio.median >= least,
  };
}

function worst(
  title: string,
  most: number,
  rows: readonly SortRow[],
  ratioOf: (row: SortRow) => Spread,
): Goal {
  const sorted = rows.toSorted((one, other) => ratioOf(other).median - ratioOf(one).median);
  const over = sorted.filter((row) => ratioOf(row).median > most).length;
  const [{ shape }] = sorted as [SortRow];
  const at = `${shape.scope}, ${shape.sortBy} ${shape.sortOrder}`;
  const ratio = threeDigits(ratioOf(sorted[0]!).median);
  return {
    title,
    outcome: `at most ${ratio} (${at}); ${over} of ${rows.length} above`,
    isMet: over === 0,
  };
}
