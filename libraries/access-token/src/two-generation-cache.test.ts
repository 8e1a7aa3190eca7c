import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TwoGenerationCache } from "./two-generation-cache.ts";

const entriesMax = 64;

describe("a cache of two generations", () => {
  it("returns the last value of each key until it is deleted", () => {
    const key = fc.integer({ min: 0, max: 9 }).map(String);
    const step = fc.tuple(fc.constantFrom("set", "delete"), key, fc.string());
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new TwoGenerationCache<string>({ entriesMax });
        const model = new Map<string, string>();
        for (const [action, key, value] of steps) {
          cache[action](key, value);
          model[action](key, value);
          for (let id = 0; id <= 9; id++) assert.equal(cache.get(`${id}`), model.get(`${id}`));
          assert.equal(cache.size, model.size);
        }
      }),
    );
  });

  it("is bounded, and first drops entries that were not used", () => {
    const cache = new TwoGenerationCache<true>({ entriesMax });
    cache.set("used", true);
    cache.set("unused", true);
    for (let id = 0; id < 3 * entriesMax; id++) {
      cache.set(`other ${id}`, true);
      assert(cache.get("used"));
      assert(cache.size <= entriesMax);
    }
    assert.equal(cache.get("unused"), undefined);
  });

  it("holds at least half of its limit, and deletes from both generations", () => {
    const cache = new TwoGenerationCache<true>({ entriesMax });
    const newest = Array.from({ length: entriesMax / 2 }, (_, id) => `newest ${id}`);
    for (let id = 0; id < 10; id++) cache.set(`old ${id}`, true);
    for (const key of newest) cache.set(key, true);
    assert(newest.every((key) => cache.get(key)));
    for (const key of newest) cache.delete(key);
    assert(!newest.some((key) => cache.get(key)));
  });

  it("tells apart keys that differ outside ASCII", () => {
    const cache = new TwoGenerationCache<string>({ entriesMax });
    for (const key of ["é", "e\u0301", "Ł", "A", "😀"]) cache.set(key, key);
    for (const key of ["é", "e\u0301", "Ł", "A", "😀"]) assert.equal(cache.get(key), key);
  });
});
