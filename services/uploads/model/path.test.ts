import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ancestorPaths, normalisePath, PathError, parentPath } from "./path.ts";

describe("normalisePath()", () => {
  const accepted: [given: string, path: string][] = [
    ["", "/"],
    ["/", "/"],
    ["a", "/a"],
    ["/a/", "/a"],
    ["a/b/", "/a/b"],
    ["/a b/…/ c", "/a b/…/ c"],
    ["/e\u0301", "/e\u0301"],
    [`/${"a".repeat(1023)}`, `/${"a".repeat(1023)}`],
    ["/a".repeat(512), "/a".repeat(512)],
  ];
  for (const [given, path] of accepted) {
    it(`reads ${shorten(given)} as ${shorten(path)}`, () => {
      assert.equal(normalisePath(given), path);
    });
  }

  const refused: [given: string, message: RegExp][] = [
    ["//", /empty segment/],
    ["///", /empty segment/],
    ["//a", /empty segment/],
    ["/a//b", /empty segment/],
    ["/a//", /empty segment/],
    ["/a/./b", /segment "\."/],
    ["..", /segment "\.\."/],
    ["/a\0b", /U\+0000/],
    [`/${"a".repeat(1024)}`, /1025 bytes; need at most 1024/],
    [`/${"é".repeat(512)}`, /1025 bytes/],
    ["/a".repeat(513), /513 segments; need at most 512/],
  ];
  for (const [given, message] of refused) {
    it(`refuses ${shorten(given)}`, () => {
      assert.throws(() => normalisePath(given), { constructor: PathError, message });
    });
  }
});

describe("parentPath() and ancestorPaths()", () => {
  it("lead from a folder to the root", () => {
    assert.equal(parentPath("/"), undefined);
    assert.equal(parentPath("/a"), "/");
    assert.equal(parentPath("/a/b"), "/a");
    assert.deepEqual(ancestorPaths("/"), []);
    assert.deepEqual(ancestorPaths("/a/b/c"), ["/", "/a", "/a/b"]);
  });
});

function shorten(path: string): string {
  return JSON.stringify(path).slice(0, 40);
}
