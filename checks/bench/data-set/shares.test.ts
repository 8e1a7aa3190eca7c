import assert from "node:assert/strict";
import { it } from "node:test";
import { Random } from "./random.ts";
import { sharesOf } from "./shares.ts";

it("shares are in proportion to their weights", () => {
  assert.deepEqual(sharesOf(10, [1, 3, 1]), [2, 6, 2]);
  assert.deepEqual(sharesOf(7, []), []);
  assert.deepEqual(sharesOf(0, [1, 2]), [0, 0]);
});

it("shares always add up, and none is negative", () => {
  const random = new Random(1);
  for (let round = 0; round < 1000; round++) {
    const total = random.below(50);
    const weights = Array.from({ length: 1 + random.below(20) }, () => random.factor(2));
    const shares = sharesOf(total, weights);
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      total,
    );
    assert.ok(shares.every((share) => share >= 0 && Number.isInteger(share)));
  }
});
