import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultAddress, sortColumns } from "../address/address.ts";
import { type ColumnNeeds, shownColumns, sortChange } from "./list-columns.ts";

const everything: ColumnNeeds = { isNarrow: false, isDeep: true, hasOrder: true };

function namesFor(change: Partial<ColumnNeeds>): string {
  return shownColumns({ ...everything, ...change })
    .map(({ name }) => name)
    .join(" ");
}

describe("the columns of the list", () => {
  it("show the folder and the order only where they say something", () => {
    assert.equal(namesFor({}), "name path size created changed type tags order");
    const some = namesFor({ isDeep: false, hasOrder: false });
    assert.equal(some, "name size created changed type tags");
  });

  it("are one column where the page is narrow", () => {
    assert.equal(namesFor({ isNarrow: true }), "name");
  });

  it("sort by every key of the service, in both directions", () => {
    const columns = shownColumns(everything);
    for (const sortBy of sortColumns) {
      const column = columns.find((candidate) => candidate.sortBy === sortBy);
      assert.ok(column, sortBy);
      const first = sortChange(column, { ...defaultAddress, sortBy: otherThan(sortBy) });
      assert.equal(first?.sortBy, sortBy);
      const second = sortChange(column, { ...defaultAddress, ...first });
      assert.deepEqual(
        [first?.sortOrder, second?.sortOrder].sort(),
        ["asc", "desc"],
        "the second click turns the order around",
      );
    }
  });

  it("begin with the largest and the newest", () => {
    const size = shownColumns(everything).find(({ name }) => name === "size");
    assert.equal(size && sortChange(size, defaultAddress)?.sortOrder, "desc");
  });

  it("do not sort by what the service cannot sort by", () => {
    for (const column of shownColumns(everything)) {
      const canSort = column.sortBy !== undefined;
      assert.equal(sortChange(column, defaultAddress) !== undefined, canSort);
    }
  });
});

function otherThan(sortBy: string) {
  return sortBy === "filename" ? "order" : "filename";
}
