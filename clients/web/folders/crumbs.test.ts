import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crumbsOf } from "./crumbs.ts";

describe("the way to a folder", () => {
  it("is shown whole if it is short", () => {
    assert.deepEqual(crumbsOf("/"), { first: ["/"], hidden: [], last: [] });
    assert.deepEqual(crumbsOf("/a/b").first, ["/", "/a", "/a/b"]);
  });

  it("has its middle left out if it is long", () => {
    const { first, hidden, last } = crumbsOf("/a/b/c/d/e");
    assert.deepEqual(first, ["/"]);
    assert.deepEqual(hidden, ["/a", "/a/b"]);
    assert.deepEqual(last, ["/a/b/c", "/a/b/c/d", "/a/b/c/d/e"]);
  });
});
