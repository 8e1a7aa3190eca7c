import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { arbitraryPath } from "./testing/arbitrary-path.ts";
import { treeKey } from "./tree-key.ts";
import {
  coveringFolders,
  mergeRanges,
  rangesContain,
  subtractRanges,
  subtreeRange,
} from "./tree-key-range.ts";

const subtrees = (paths: readonly string[]) =>
  mergeRanges(paths.map((path) => subtreeRange(treeKey(path))));

describe("the folders that cover ranges", () => {
  it("are those that were granted", () => {
    assert.deepEqual(coveringFolders(subtrees(["/a/b", "/c"])), ["/a/b", "/c"].map(treeKey));
    assert.deepEqual(coveringFolders(subtrees(["/"])), [""]);
    // A folder without what is in it: no key is between a key and that key with "\u0001" after it.
    const key = treeKey("/a");
    assert.deepEqual(coveringFolders([{ from: key, to: `${key}\u0001` as typeof key }]), [key]);
    assert.deepEqual(coveringFolders([]), []);
  });

  it("do not mind what is hidden in them", () => {
    const ranges = subtractRanges(subtrees(["/a", "/d"]), subtrees(["/a/b", "/a/c/e"]));
    assert.deepEqual(coveringFolders(ranges), ["/a", "/d"].map(treeKey));
    assert.deepEqual(coveringFolders(subtractRanges(subtrees(["/"]), subtrees(["/a"]))), [""]);
  });

  it("hold every key of the ranges, and are not under one another", () => {
    const paths = fc.array(arbitraryPath, { maxLength: 5 });
    fc.assert(
      fc.property(paths, paths, (granted, hidden) => {
        const ranges = subtractRanges(subtrees(granted), subtrees(hidden));
        const folders = coveringFolders(ranges);
        const covered = mergeRanges(folders.map(subtreeRange));
        assert.deepEqual(subtractRanges(ranges, covered), []);
        assert.equal(covered.length, folders.length);
        for (const path of granted) {
          if (rangesContain(ranges, treeKey(path)))
            assert.ok(rangesContain(covered, treeKey(path)));
        }
        // Nothing of what is not granted: each covering folder is granted or above nothing else.
        for (const folder of folders) assert.ok(rangesContain(subtrees(granted), folder));
      }),
    );
  });
});
