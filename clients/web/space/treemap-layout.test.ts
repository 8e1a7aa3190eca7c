import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { SpacePart } from "./space-parts.ts";
import { type Cell, type Direction, layOut, neighbourOf } from "./treemap-layout.ts";

const directions: readonly Direction[] = ["up", "down", "left", "right"];

function partsWith(sizes: readonly number[]): readonly SpacePart[] {
  return sizes.map((sizeBytes, index) => ({
    kind: "folder",
    path: `/${index}`,
    name: `${index}`,
    totals: { uploadCount: 1, sizeBytes },
  }));
}

const someSizes = fc.array(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 60 });
const someSide = fc.integer({ min: 40, max: 4000 });

describe("the layout of a treemap", () => {
  it("gives each part an area in proportion to its bytes", () => {
    fc.assert(
      fc.property(someSizes, someSide, someSide, (sizes, width, height) => {
        const cells = layOut(partsWith(sizes), { width, height });
        const total = sizes.reduce((sum, size) => sum + size, 0);
        assert.deepEqual(
          cells.map(({ part }) => part.totals.sizeBytes),
          sizes.toSorted((one, other) => other - one),
        );
        for (const cell of cells) {
          const share = (cell.width * cell.height) / (width * height);
          assert.ok(Math.abs(share - cell.part.totals.sizeBytes / total) < 1e-6);
          assert.ok(cell.x > -0.01 && cell.x + cell.width < width + 0.01);
          assert.ok(cell.y > -0.01 && cell.y + cell.height < height + 0.01);
        }
      }),
    );
  });

  it("has no cells for parts without bytes, nor without space", () => {
    assert.equal(layOut(partsWith([5, 0]), { width: 10, height: 10 }).length, 1);
    assert.deepEqual(layOut(partsWith([0]), { width: 10, height: 10 }), []);
    assert.deepEqual(layOut(partsWith([5]), { width: 0, height: 10 }), []);
  });
});

describe("arrow keys", () => {
  const parts = partsWith([1, 1, 1, 1]);
  const cells: readonly Cell[] = parts.map((part, index) => {
    return { part, x: index < 2 ? 0 : 50, y: index % 2 === 0 ? 0 : 50, width: 50, height: 50 };
  });
  const at = (x: number, y: number) => cells.findIndex((cell) => cell.x === x && cell.y === y);

  it("move to the cell beside, and stop at the edge", () => {
    assert.equal(neighbourOf(cells, at(0, 0), "right"), at(50, 0));
    assert.equal(neighbourOf(cells, at(0, 0), "down"), at(0, 50));
    assert.equal(neighbourOf(cells, at(50, 50), "left"), at(0, 50));
    assert.equal(neighbourOf(cells, at(50, 50), "up"), at(50, 0));
    assert.equal(neighbourOf(cells, at(0, 0), "up"), undefined);
    assert.equal(neighbourOf(cells, at(50, 50), "right"), undefined);
  });

  it("reach every cell", () => {
    fc.assert(
      fc.property(someSizes, someSide, someSide, (sizes, width, height) => {
        const some = layOut(partsWith(sizes), { width, height });
        const reached = new Set([0]);
        for (const index of reached) {
          for (const direction of directions) {
            const next = neighbourOf(some, index, direction);
            if (next !== undefined) reached.add(next);
          }
        }
        assert.equal(reached.size, some.length);
      }),
    );
  });
});
