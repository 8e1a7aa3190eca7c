import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "./random.ts";

const drawn = <Value>(count: number, draw: () => Value) => Array.from({ length: count }, draw);

describe("Random", () => {
  it("gives the same numbers for the same seed, others for another", () => {
    const numbers = (seed: number) => {
      const random = new Random(seed);
      return drawn(5, () => random.fraction());
    };
    assert.deepEqual(numbers(7), numbers(7));
    assert.notDeepEqual(numbers(7), numbers(8));
  });

  it("spreads numbers evenly from 0 to 1", () => {
    const random = new Random(1);
    const counts = new Array<number>(10).fill(0);
    for (const number of drawn(10_000, () => random.below(10)))
      counts[number] = counts[number]! + 1;
    for (const count of counts) assert.ok(count > 900 && count < 1100, `${counts}`);
  });

  it("gives factors of which half are below 1, and some far off", () => {
    const random = new Random(2);
    const factors = drawn(10_000, () => random.factor(1)).toSorted((one, other) => one - other);
    assert.ok(Math.abs(factors[5000]! - 1) < 0.05, `${factors[5000]}`);
    assert.ok(factors[9990]! > 10 && factors[9]! > 0, `${factors[9]} ${factors[9990]}`);
  });

  it("gives IDs in the form of UUIDs, all different", () => {
    const random = new Random(3);
    const ids = drawn(1000, () => random.uuid());
    assert.equal(new Set(ids).size, 1000);
    for (const id of ids) {
      assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
  });
});
