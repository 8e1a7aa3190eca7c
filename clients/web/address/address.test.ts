import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Address,
  changed,
  defaultAddress,
  hrefOf,
  parseAddress,
  sortColumns,
} from "./address.ts";

const text = fc.string({ unit: "grapheme" });
const days = fc.constantFrom("", "2026-11-23", "2024-02-29");
const addresses: fc.Arbitrary<Address> = fc.record(
  {
    bucket: text,
    folder: text.map((name) => `/${name}`),
    isRecursive: fc.boolean(),
    search: text,
    tags: fc.array(text),
    dateFrom: days,
    dateTo: days,
    sortBy: fc.constantFrom(...sortColumns),
    sortOrder: fc.constantFrom("asc" as const, "desc" as const),
    folderFilter: text,
    view: fc.constantFrom("list" as const, "space" as const),
    upload: text,
    uploadPath: text,
  },
  { noNullPrototype: true },
);

describe("the address", () => {
  it("reproduces every view", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const { search } = new URL(hrefOf(address), "http://page");
        assert.deepEqual(parseAddress(search), { address, problems: [] });
      }),
    );
  });

  it("leaves defaults out", () => {
    assert.equal(hrefOf(defaultAddress), "/");
    assert.equal(
      hrefOf({ ...defaultAddress, folder: "/a b", sortOrder: "desc" }),
      "/?folder=%2Fa+b&order=desc",
    );
  });

  it("says which parameters are wrong, and shows the defaults instead", () => {
    const { address, problems } = parseAddress(
      "?sort=colour&order=up&view=3d&from=2026-02-30&under=2",
    );
    assert.deepEqual(address, defaultAddress);
    assert.deepEqual(
      problems.map(({ parameter, value }) => `${parameter}=${value}`),
      ["under=2", "from=2026-02-30", "sort=colour", "order=up", "view=3d"],
    );
  });

  it("forgets the path of an upload with the upload", () => {
    const open = { ...defaultAddress, upload: "a", uploadPath: "/a.txt" };
    assert.deepEqual(changed(open, { search: "x" }), { ...open, search: "x" });
    assert.deepEqual(changed(open, { upload: "b" }), { ...open, upload: "b", uploadPath: "" });
    assert.deepEqual(changed(open, { upload: "" }), defaultAddress);
    const both = { upload: "b", uploadPath: "/b.txt" };
    assert.deepEqual(changed(open, both), { ...open, ...both });
  });
});
