import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReusedBytes } from "./reused-bytes.ts";

describe("ReusedBytes", () => {
  it("keeps copies of any size as they are until they are cleared", () => {
    const kept = new ReusedBytes();
    for (const round of [1, 2]) {
      const sizes = [0, 10, 60_000, 10_000, 200_000, 5];
      const given = sizes.map((size, index) => Buffer.alloc(size + 2, round * 10 + index));
      const copies = given.map((bytes) => kept.copy(bytes, 1, bytes.length - 1));
      const expected = sizes.map((size, index) => Buffer.alloc(size, round * 10 + index));
      for (const bytes of given) bytes.fill(0);
      assert.deepEqual(copies, expected);
      kept.clear();
    }
  });
});
