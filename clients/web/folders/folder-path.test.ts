import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ancestorsOf, crumbsOf, nameOf, parentOf } from "./folder-path.ts";

describe("a path", () => {
  it("has a name and a parent", () => {
    assert.equal(nameOf("/photos/2026"), "2026");
    assert.equal(parentOf("/photos/2026"), "/photos");
    assert.equal(parentOf("/photos"), "/");
    assert.equal(nameOf("/"), "");
    assert.equal(parentOf("/"), "/");
  });

  it("has the folders that lead to it", () => {
    assert.deepEqual(ancestorsOf("/a/b/c"), ["/", "/a", "/a/b"]);
    assert.deepEqual(ancestorsOf("/a"), ["/"]);
    assert.deepEqual(ancestorsOf("/"), []);
  });
});

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
