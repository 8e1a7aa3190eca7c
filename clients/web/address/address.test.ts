import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Address, defaultAddress, hrefOf, parseAddress, sortColumns } from "./address.ts";

const text = fc.string({ unit: "grapheme" });
const names = fc
  .string({ unit: "grapheme", minLength: 1 })
  .map((name) => name.replace(/[/\0]/g, "x"))
  .filter((name) => name !== "." && name !== "..");

const addresses: fc.Arbitrary<Address> = fc.record(
  {
    bucket: text,
    folder: fc.array(names).map((path) => `/${path.join("/")}`),
    isRecursive: fc.boolean(),
    query: text,
    sortBy: fc.constantFrom(...sortColumns),
    sortOrder: fc.constantFrom("asc" as const, "desc" as const),
    folderFilter: text,
    view: fc.constantFrom("list" as const, "space" as const),
    upload: text,
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
      "?sort=colour&order=up&view=3d&under=2&folder=/a/../b",
    );
    assert.deepEqual(address, defaultAddress);
    assert.deepEqual(
      problems.map(({ parameter, value }) => `${parameter}=${value}`),
      ["folder=/a/../b", "under=2", "sort=colour", "order=up", "view=3d"],
    );
  });

  it("says what is too long", () => {
    const { problems } = parseAddress(`?query=${"x".repeat(513)}&folders=${"x".repeat(257)}`);
    assert.deepEqual(
      problems.map(({ parameter, allowed }) => `${parameter}: ${allowed}`),
      ["query: at most 512 characters", "folders: at most 256 characters"],
    );
  });

  it("takes paths as people write them", () => {
    for (const [folder, path] of [
      ["photos/2026/", "/photos/2026"],
      ["/photos", "/photos"],
      ["/", "/"],
    ] as const) {
      assert.deepEqual(parseAddress(`?folder=${folder}`).address.folder, path);
    }
    for (const folder of ["/a//b", "/./a", "/..", "/a%00", `/${"x".repeat(1024)}`]) {
      assert.equal(parseAddress(`?folder=${folder}`).problems.length, 1, folder);
    }
  });
});
