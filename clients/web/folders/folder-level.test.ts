import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { levelOf, levelsOf } from "./folder-level.ts";

describe("levelOf()", () => {
  it("keeps names, totals, and which folders can be opened or match", () => {
    const level = levelOf({
      children: [
        {
          folder: { path: "/a/b" },
          truncated: true,
          rollup: { subtreeUploadCount: "3", subtreeSizeBytes: 2 ** 53 - 1 },
        },
        { folder: { path: "/a/c" }, matchesFilter: true, children: [{}] },
      ],
      rollup: { subtreeUploadCount: 5, subtreeSizeBytes: "7" },
    });
    const none = { uploadCount: 0, sizeBytes: 0 };
    const totals = { uploadCount: 3, sizeBytes: 2 ** 53 - 1 };
    assert.deepEqual(level, {
      folders: [
        { path: "/a/b", name: "b", hasFolders: true, isMatch: false, totals },
        { path: "/a/c", name: "c", hasFolders: true, isMatch: true, totals: none },
      ],
      totals: { uploadCount: 5, sizeBytes: 7 },
    });
  });

  it("takes what is left out for the default", () => {
    assert.deepEqual(levelOf({}), { folders: [], totals: { uploadCount: 0, sizeBytes: 0 } });
    assert.equal(levelOf({ children: [{ folder: { path: "/a" } }] }).folders[0]?.hasFolders, false);
  });
});

describe("levelsOf()", () => {
  it("has each level that the answer has, but not those that were cut off", () => {
    const tree = {
      children: [
        { folder: { path: "/a" }, children: [{ folder: { path: "/a/b" }, truncated: true }] },
        { folder: { path: "/c" }, children: [] },
      ],
    };
    const levels = [...levelsOf(tree, "/")].map(([path, { folders }]) => [
      path,
      folders.map(({ name, hasFolders }) => `${name}${hasFolders ? "+" : ""}`).join(" "),
    ]);
    assert.deepEqual(levels, [
      ["/", "a+ c"],
      ["/a", "b+"],
    ]);
  });
});
