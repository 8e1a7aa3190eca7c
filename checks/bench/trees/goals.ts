/** What trees must reach, by the medians of all rounds. */
import { threeDigits } from "../frame/figures.ts";
import type { Goal } from "../frame/goals.ts";
import type { ListsBesideRow } from "./measure-lists-beside.ts";
import type { TreeRow } from "./measure-trees.ts";
import { folderTree } from "./tree-kinds.ts";
import { mebibytes, p99OfAlone, whileOf } from "./tree-tables.ts";

const timeOfCopyMax = 1.5;
const firstByteMsMax = 100;
const grownMebibytesMax = 64;
const p99OfAloneMax = 2;

export function treeGoals(trees: readonly TreeRow[], lists: readonly ListsBesideRow[]): Goal[] {
  return [
    ...trees.filter(({ kind }) => kind === folderTree).map(timeGoal),
    ...trees.map(firstByteGoal),
    ...trees.map(memoryGoal),
    ...lists
      .filter(({ beside }) => beside !== undefined)
      .map((row) => listsGoal(row, p99OfAlone(row, lists))),
  ];
}

function timeGoal({ kind, timeOfCopy }: TreeRow): Goal {
  return {
    title: `tree of ${kind.name} ≤ ${timeOfCopyMax} × the time of COPY`,
    outcome: threeDigits(timeOfCopy.median),
    isMet: timeOfCopy.median <= timeOfCopyMax,
  };
}

function firstByteGoal({ kind, firstByteMs }: TreeRow): Goal {
  return {
    title: `first byte of the tree of ${kind.name} ≤ ${firstByteMsMax} ms`,
    outcome: `${threeDigits(firstByteMs.median)} ms`,
    isMet: firstByteMs.median <= firstByteMsMax,
  };
}

function memoryGoal({ kind, grownBytes }: TreeRow): Goal {
  return {
    title: `memory grows by < ${grownMebibytesMax} MiB for the tree of ${kind.name}`,
    outcome: `${mebibytes(grownBytes)} MiB`,
    isMet: grownBytes < grownMebibytesMax * 2 ** 20,
  };
}

function listsGoal({ connections, beside }: ListsBesideRow, ratio: number): Goal {
  const by = connections === 1 ? "1 connection" : `${connections} connections`;
  return {
    title: `p99 of lists ≤ ${p99OfAloneMax} × while ${whileOf(beside)}, ${by}`,
    outcome: threeDigits(ratio),
    isMet: ratio <= p99OfAloneMax,
  };
}
