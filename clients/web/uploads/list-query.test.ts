import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Address, defaultAddress } from "../address/address.ts";
import { isSearch, listQueryOf, readFrom } from "./list-query.ts";

function queryOf(change: Partial<Address>) {
  return listQueryOf("b1", { ...defaultAddress, ...change });
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
    assert.equal(queryOf({ query: "x", folder: "/a" }).recursive, true);
  });

  it("has the query without filters that have no value yet", () => {
    assert.equal(queryOf({ query: "sea  size:huge type:image" }).query, "sea type:image");
    const { query, recursive } = queryOf({ query: "type:", folder: "/a" });
    assert.deepEqual([query, recursive], [undefined, false]);
  });

  it("turns the order around to read from the end", () => {
    const query = queryOf({ sortOrder: "desc" });
    assert.equal(readFrom("start", query).sortOrder, "desc");
    assert.equal(readFrom("end", query).sortOrder, "asc");
  });
});

describe("isSearch()", () => {
  it("holds if words or filters are sent", () => {
    const isSearchFor = (query: string) => isSearch({ ...defaultAddress, query });
    assert.deepEqual(["", "  ", "size:"].map(isSearchFor), [false, false, false]);
    assert.deepEqual(["a", "type:image"].map(isSearchFor), [true, true]);
  });
});
