import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  filtersOf,
  filterValue,
  withFilter,
  withoutPart,
  withTag,
  writtenValue,
} from "./edit-query.ts";
import { readQuery } from "./page-query.ts";

describe("a control for a filter", () => {
  it("adds it to the query, replaces it, and removes it", () => {
    assert.equal(withFilter("sea", "type", "image"), "sea type:image");
    assert.equal(withFilter("type:image sea", "type", "video"), "type:video sea");
    assert.equal(withFilter("type:image sea", "type", ""), "sea");
    assert.equal(withFilter("", "size", ">1MB"), "size:>1MB");
  });

  it("replaces all filters of the name, also wrong ones, but none that excludes", () => {
    const query = "size:>1k sea size:huge -size:5k size:<9k";
    assert.equal(withFilter(query, "size", ">1MB"), "size:>1MB sea -size:5k");
    assert.equal(withFilter(query, "size", ""), "sea -size:5k");
  });

  it("shows the value that the query has", () => {
    assert.equal(filterValue("sea", "type"), "");
    assert.equal(filterValue("sea TYPE:image -type:video", "type"), "image");
    assert.equal(filterValue("size:>1k size:<9k", "size"), ">1k <9k");
    assert.equal(filterValue("size:huge", "size"), "");
  });
});

describe("a tag that is added to the query", () => {
  it("is there once", () => {
    assert.equal(withTag("sea", "for Ada"), 'sea tag:"for Ada"');
    assert.equal(withTag('sea tag:"for Ada"', "for Ada"), 'sea tag:"for Ada"');
    assert.equal(withTag("sea", 'a "b" c'), 'sea tag:"a ""b"" c"');
    assert.equal(withTag("sea", " "), "sea");
  });

  it("means the same tag", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab ,"-:é') }), (tag) => {
        if (tag.trim() === "") return;
        const parts = readQuery(`tag:${writtenValue(tag)} sea`).parts;
        assert.equal(parts.length, 2);
        const [part] = parts;
        assert.ok(part?.kind === "filter" && "values" in part);
        assert.deepEqual(part.values, [tag]);
      }),
    );
  });
});

describe("a folder that is opened", () => {
  it("keeps the filters of the query, but neither words nor the folder that was searched", () => {
    const query = 'sea -sky type:image size:huge in:/a -in:/b tag:"for Ada';
    assert.equal(filtersOf(query), 'type:image -in:/b tag:"for Ada"');
    assert.equal(filtersOf("sea"), "");
  });
});

describe("a part that is removed from the query", () => {
  it("is gone, and the others stay", () => {
    const query = "sea type:image sea -type:video";
    const [, , second, last] = readQuery(query).parts;
    assert.equal(withoutPart(query, second!), "sea type:image -type:video");
    assert.equal(withoutPart(query, last!), "sea type:image sea");
  });
});
