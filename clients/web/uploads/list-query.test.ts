import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Address, defaultAddress } from "../address/address.ts";
import { filterCount, isFiltered, listQueryOf, readFrom } from "./list-query.ts";

function queryOf(change: Partial<Address>) {
  return listQueryOf("b1", { ...defaultAddress, ...change });
}

/** The days as the bounds of a list, in a time zone. */
function boundsIn(timeZone: string, dateFrom: string, dateTo: string) {
  const before = process.env.TZ;
  process.env.TZ = timeZone;
  try {
    const query = queryOf({ dateFrom, dateTo });
    return [query.dateFrom, query.dateTo];
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

describe("the request of a list", () => {
  it("names the folder, and leaves out what is not asked for", () => {
    assert.deepEqual(queryOf({ folder: "/a" }), {
      bucketRef: { bucketId: "b1" },
      path: "/a",
      recursive: false,
      sortBy: "filename",
      sortOrder: "asc",
    });
  });

  it("reads the whole bucket for everything under the root", () => {
    assert.equal(queryOf({ isRecursive: true }).path, undefined);
    assert.equal(queryOf({ isRecursive: true, folder: "/a" }).recursive, true);
  });

  it("searches the folder and everything under it", () => {
    assert.equal(queryOf({ search: "x", folder: "/a" }).recursive, true);
  });

  it("asks for uploads with all of the tags, whose name has the text", () => {
    const { tags, search } = queryOf({ tags: ["x", "y"], search: "*.pdf" });
    assert.deepEqual([tags, search], [{ allOf: ["x", "y"] }, "*.pdf"]);
  });

  it("bounds whole days of the reader", () => {
    assert.deepEqual(boundsIn("America/New_York", "2026-11-23", "2026-11-23"), [
      "2026-11-23T05:00:00.000Z",
      "2026-11-24T04:59:59.999999Z",
    ]);
  });

  it("bounds days of 23 hours, and days in the first years", () => {
    assert.deepEqual(boundsIn("Europe/Berlin", "2026-03-29", "2026-03-29"), [
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T21:59:59.999999Z",
    ]);
    assert.deepEqual(boundsIn("UTC", "0099-12-31", "0099-12-31"), [
      "0099-12-31T00:00:00.000Z",
      "0099-12-31T23:59:59.999999Z",
    ]);
  });

  it("keeps the first and the last day within the times that calls can have", () => {
    assert.deepEqual(boundsIn("Europe/Berlin", "0001-01-01", "9999-12-31"), [
      "0001-01-01T00:00:00.000Z",
      "9999-12-31T22:59:59.999999Z",
    ]);
    assert.deepEqual(boundsIn("America/New_York", "0001-01-02", "9999-12-31"), [
      "0001-01-02T04:56:02.000Z",
      "9999-12-31T23:59:59.999999Z",
    ]);
  });

  it("turns the order around to read from the end", () => {
    const query = queryOf({ sortOrder: "desc" });
    assert.equal(readFrom("start", query).sortOrder, "desc");
    assert.equal(readFrom("end", query).sortOrder, "asc");
  });
});

describe("isFiltered()", () => {
  it("holds if something but the folder limits the list", () => {
    assert.equal(isFiltered({ ...defaultAddress, folder: "/a", isRecursive: true }), false);
    for (const change of [{ search: "a" }, { tags: ["a"] }, { dateFrom: "2026-11-23" }]) {
      assert.equal(isFiltered({ ...defaultAddress, ...change }), true);
    }
  });
});

describe("the number of filters", () => {
  it("has each tag, the days together, and subfolders, but no search", () => {
    const count = (change: Partial<Address>) => filterCount({ ...defaultAddress, ...change });
    assert.equal(count({ search: "x" }), 0);
    assert.equal(count({ tags: ["x", "y"] }), 2);
    assert.equal(count({ dateTo: "2026-11-23" }), 1);
    assert.equal(count({ dateFrom: "2026-11-01", dateTo: "2026-11-23", isRecursive: true }), 2);
  });
});
