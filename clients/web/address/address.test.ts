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
const names = fc
  .string({ unit: "grapheme", minLength: 1 })
  .map((name) => name.replace(/[/\0]/g, "x"))
  .filter((name) => name !== "." && name !== "..");

const addresses: fc.Arbitrary<Address> = fc.record(
  {
    bucket: text,
    folder: fc.array(names).map((path) => `/${path.join("/")}`),
    isRecursive: fc.boolean(),
    search: text,
    tags: fc.uniqueArray(text.filter((tag) => tag !== "")),
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
  it("has each tag once, and no empty one", () => {
    const { address, problems } = parseAddress("?tag=b&tag=&tag=a&tag=b");
    assert.deepEqual([address.tags, problems], [["b", "a"], []]);
  });

  it("reproduces every view", () => {
    fc.assert(
      fc.property(addresses, (drawn) => {
        const isTurned = drawn.dateTo !== "" && drawn.dateFrom > drawn.dateTo;
        const address = isTurned ? { ...drawn, dateTo: "" } : drawn;
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
      "?sort=colour&order=up&view=3d&from=2026-02-30&under=2&folder=/a/../b",
    );
    assert.deepEqual(address, defaultAddress);
    assert.deepEqual(
      problems.map(({ parameter, value }) => `${parameter}=${value}`),
      ["from=2026-02-30", "folder=/a/../b", "under=2", "sort=colour", "order=up", "view=3d"],
    );
  });

  it("says what is too long, too many, or the wrong way round", () => {
    const long = "x".repeat(257);
    const tags = Array.from({ length: 33 }, (_, index) => `tag=${index}`).join("&");
    const { address, problems } = parseAddress(
      `?search=${long}&folders=${long}&from=2026-11-23&to=2026-11-22&${tags}`,
    );
    assert.deepEqual(
      problems.map(({ parameter, allowed }) => `${parameter}: ${allowed}`),
      [
        "search: at most 256 characters",
        "tag: at most 32 tags",
        "to: a day from 2026-11-23 on",
        "folders: at most 256 characters",
      ],
    );
    assert.equal(address.tags.length, 32);
    assert.equal(address.dateTo, "");
  });

  it("has days of the years 1 to 9999", () => {
    for (const day of ["0001-01-01", "2024-02-29", "9999-12-31"]) {
      assert.equal(parseAddress(`?to=${day}`).address.dateTo, day);
    }
    for (const day of ["0000-01-01", "2026-02-29", "20265-03-03", "2026-3-3"]) {
      assert.equal(parseAddress(`?to=${day}`).problems.length, 1, day);
    }
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

  it("forgets the path of an upload with the upload", () => {
    const open = { ...defaultAddress, upload: "a", uploadPath: "/a.txt" };
    assert.deepEqual(changed(open, { search: "x" }), { ...open, search: "x" });
    assert.deepEqual(changed(open, { upload: "b" }), { ...open, upload: "b", uploadPath: "" });
    assert.deepEqual(changed(open, { upload: "" }), defaultAddress);
    const both = { upload: "b", uploadPath: "/b.txt" };
    assert.deepEqual(changed(open, both), { ...open, ...both });
  });
});
