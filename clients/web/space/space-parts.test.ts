import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { FolderLevel } from "../folders/folder-level.ts";
import { keyOf, partsOf, type SpacePart } from "./space-parts.ts";

/** A folder of folders with these sizes, one upload in each, and files directly in it. */
function levelOf(sizes: readonly number[], files = { uploadCount: 0, sizeBytes: 0 }): FolderLevel {
  const folders = sizes.map((sizeBytes, index) => ({
    path: `/${index}`,
    name: `${index}`,
    hasFolders: false,
    isMatch: false,
    totals: { uploadCount: 1, sizeBytes },
  }));
  return {
    folders,
    totals: {
      uploadCount: sizes.length + files.uploadCount,
      sizeBytes: sizes.reduce((sum, size) => sum + size, 0) + files.sizeBytes,
    },
  };
}

const noLimits = { partsMax: 1000, shareMin: 0 };
const describePart = (part: SpacePart) => `${keyOf(part)} ${part.totals.sizeBytes}`;

describe("the parts of a folder", () => {
  it("are its folders and its own files, by size", () => {
    const level = levelOf([10, 30], { uploadCount: 2, sizeBytes: 20 });
    assert.deepEqual(partsOf(level, noLimits).map(describePart), ["/1 30", "files 20", "/0 10"]);
  });

  it("are joined where they are too many", () => {
    const parts = partsOf(levelOf([1, 2, 3, 4, 5]), { partsMax: 4, shareMin: 0 });
    assert.deepEqual(parts.map(describePart), ["/4 5", "/3 4", "rest 6"]);
    assert.deepEqual(parts.at(-1), {
      kind: "rest",
      folderCount: 3,
      totals: { uploadCount: 3, sizeBytes: 6 },
    });
  });

  it("are joined where they are too small", () => {
    const parts = partsOf(levelOf([90, 4, 3, 3]), { partsMax: 100, shareMin: 0.05 });
    assert.deepEqual(parts.map(describePart), ["/0 90", "rest 10"]);
  });

  it("are not joined where most of the bytes are in small ones", () => {
    const limits = { partsMax: 5, shareMin: 0.15 };
    const parts = partsOf(levelOf([10, 10, 10, 10, 10, 10, 10, 0]), limits);
    assert.deepEqual(parts.map(describePart), ["/0 10", "/1 10", "/2 10", "rest 40"]);
    const mixed = partsOf(levelOf([50, 10, 10, 10, 10, 10]), limits);
    assert.deepEqual(mixed.map(describePart), ["/0 50", "rest 50"]);
  });

  it("have no rest of a single folder", () => {
    const parts = partsOf(levelOf([95, 5]), { partsMax: 100, shareMin: 0.1 });
    assert.deepEqual(parts.map(describePart), ["/0 95", "/1 5"]);
  });

  it("add up, and are never more than the limit", () => {
    const sizes = fc.array(fc.nat({ max: 2 ** 40 }), { maxLength: 60 });
    const files = fc.record({ uploadCount: fc.nat(5), sizeBytes: fc.nat(2 ** 30) });
    const limits = fc.record({
      partsMax: fc.integer({ min: 3, max: 30 }),
      shareMin: fc.double({ min: 0, max: 0.2, noNaN: true }),
    });
    fc.assert(
      fc.property(sizes, files, limits, (folderSizes, own, given) => {
        const isEmpty = own.uploadCount === 0;
        const level = levelOf(folderSizes, isEmpty ? { ...own, sizeBytes: 0 } : own);
        const parts = partsOf(level, given);
        assert.ok(parts.length <= given.partsMax);
        assert.equal(new Set(parts.map(keyOf)).size, parts.length);
        for (const member of ["sizeBytes", "uploadCount"] as const) {
          const sum = parts.reduce((total, part) => total + part.totals[member], 0);
          assert.equal(sum, level.totals[member]);
        }
        const folders = parts.reduce((count, part) => {
          if (part.kind === "files") return count;
          return count + (part.kind === "rest" ? part.folderCount : 1);
        }, 0);
        assert.equal(folders, folderSizes.length);
      }),
    );
  });
});
