import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathOf } from "./upload-path.ts";

describe("the path of an upload", () => {
  it("is its folder and its filename", () => {
    assert.equal(pathOf({ path: "/a/b", filename: "c.txt" }), "/a/b/c.txt");
    assert.equal(pathOf({ path: "/", filename: "c.txt" }), "/c.txt");
  });
});
