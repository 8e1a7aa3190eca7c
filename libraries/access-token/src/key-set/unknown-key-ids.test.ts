import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { unknownKeyIdsMax } from "../limits.ts";
import { UnknownKeyIds } from "./unknown-key-ids.ts";

describe("the cache of unknown key IDs", () => {
  it("knows key IDs until they are published", () => {
    const keyId = fc.integer({ min: 0, max: 9 }).map(String);
    const steps = fc.array(fc.tuple(fc.constantFrom("add", "delete"), keyId));
    fc.assert(
      fc.property(steps, (steps) => {
        const unknownKeyIds = new UnknownKeyIds();
        const model = new Set<string>();
        for (const [action, keyId] of steps) {
          unknownKeyIds[action](keyId);
          model[action](keyId);
          for (let id = 0; id <= 9; id++) {
            assert.equal(unknownKeyIds.has(`${id}`), model.has(`${id}`));
          }
          assert.equal(unknownKeyIds.size, model.size);
        }
      }),
    );
  });

  it("is bounded, and first forgets those that were not requested", () => {
    const unknownKeyIds = new UnknownKeyIds();
    unknownKeyIds.add("repeated");
    unknownKeyIds.add("once");
    for (let id = 0; id < 3 * unknownKeyIdsMax; id++) {
      unknownKeyIds.add(`made up ${id}`);
      assert(unknownKeyIds.has("repeated"));
      assert(unknownKeyIds.size <= unknownKeyIdsMax);
    }
    assert.equal(unknownKeyIds.has("once"), false);
  });

  it("holds at least half of its limit, and deletes from both halves", () => {
    const unknownKeyIds = new UnknownKeyIds();
    const newest = Array.from({ length: unknownKeyIdsMax / 2 }, (_, id) => `newest ${id}`);
    for (let id = 0; id < 100; id++) unknownKeyIds.add(`old ${id}`);
    for (const keyId of newest) unknownKeyIds.add(keyId);
    assert(newest.every((keyId) => unknownKeyIds.has(keyId)));
    for (const keyId of newest) unknownKeyIds.delete(keyId);
    assert(!newest.some((keyId) => unknownKeyIds.has(keyId)));
  });
});
