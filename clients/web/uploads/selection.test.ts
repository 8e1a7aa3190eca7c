import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  nothingSelected,
  type SelectableRow,
  select,
  selectedMax,
  selectKnown,
  sumsOf,
} from "./selection.ts";

/** Row 0 is a folder, row 5 is not known yet. */
function rowAt(index: number): SelectableRow | undefined {
  if (index === 5) return undefined;
  return { key: `${index}`, isFolder: index === 0, sizeBytes: 2 ** index };
}

function selectedAfter(...steps: [index: number, mode: "only" | "toggle" | "extend"][]) {
  const selection = steps.reduce(
    (before, [index, mode]) => select(before, index, mode, rowAt),
    nothingSelected,
  );
  return [...selection.rows.keys()].join(" ");
}

describe("the selection", () => {
  it("is the row that was clicked", () => {
    assert.equal(selectedAfter([1, "only"], [2, "only"]), "2");
  });

  it("grows and shrinks by single rows", () => {
    assert.equal(selectedAfter([1, "only"], [3, "toggle"], [1, "toggle"]), "3");
  });

  it("extends from the last row that was chosen, in both directions", () => {
    assert.equal(selectedAfter([2, "only"], [4, "extend"]), "2 3 4");
    assert.equal(selectedAfter([2, "only"], [4, "extend"], [0, "extend"]), "2 1 0");
    assert.equal(selectedAfter([1, "toggle"], [3, "toggle"], [4, "extend"]), "3 4");
  });

  it("leaves out rows that are not known yet, and takes them in when they are", () => {
    assert.equal(selectedAfter([5, "only"]), "");
    assert.equal(selectedAfter([4, "only"], [6, "extend"]), "4 6");
    const extended = select({ ...nothingSelected, anchor: 4 }, 6, "extend", rowAt);
    assert.deepEqual(extended.missing, [5]);
    const all = selectKnown(extended, (index) => rowAt(index) ?? rowAt(3));
    assert.deepEqual([[...all.rows.keys()], all.missing], [["4", "6", "3"], []]);
  });

  it("is limited", () => {
    const wide = select(nothingSelected, selectedMax * 2, "extend", (index) => ({
      key: `${index}`,
      isFolder: false,
      sizeBytes: 1,
    }));
    assert.equal(wide.rows.size, selectedMax);
  });

  it("sums sizes, and counts folders and uploads", () => {
    const selection = select(nothingSelected, 3, "extend", rowAt);
    assert.deepEqual(sumsOf(selection), { folders: 1, uploads: 3, sizeBytes: 15 });
  });
});
