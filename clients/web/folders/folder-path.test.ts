import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ancestorsOf, nameOf, parentOf } from "./folder-path.ts";

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
