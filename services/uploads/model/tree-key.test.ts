import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { arbitraryPath } from "./testing/arbitrary-path.ts";
import { treeDepth, treeKey } from "./tree-key.ts";

describe("treeKey()", () => {
  it("puts paths in tree order: by segments, a folder before what is under it", () => {
    fc.assert(
      fc.property(arbitraryPath, arbitraryPath, (a, b) => {
        const byBytes = Buffer.compare(Buffer.from(treeKey(a)), Buffer.from(treeKey(b)));
        assert.equal(byBytes, compareSegments(a, b));
      }),
      { numRuns: 5000 },
    );
  });

  it("keeps what is under a folder between its key and the key with 2 behind it", () => {
    fc.assert(
      fc.property(arbitraryPath, arbitraryPath, (folder, path) => {
        const key = Buffer.from(treeKey(path));
        const from = Buffer.from(treeKey(folder));
        const to = Buffer.from(`${treeKey(folder)}\u0002`);
        const inRange = Buffer.compare(from, key) <= 0 && Buffer.compare(key, to) < 0;
        const prefix = folder === "/" ? "/" : `${folder}/`;
        assert.equal(inRange, path === folder || path.startsWith(prefix));
      }),
      { numRuns: 5000 },
    );
  });
});

describe("treeDepth()", () => {
  it("is the number of segments", () => {
    fc.assert(
      fc.property(arbitraryPath, (path) => {
        assert.equal(treeDepth(treeKey(path)), segmentsOf(path).length);
      }),
      { numRuns: 5000 },
    );
  });
});

function compareSegments(a: string, b: string): number {
  const others = segmentsOf(b);
  for (const [index, segment] of segmentsOf(a).entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const order = Buffer.compare(Buffer.from(segment), Buffer.from(other));
    if (order !== 0) return order;
  }
  return segmentsOf(a).length < others.length ? -1 : 0;
}

function segmentsOf(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}
