import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { absentKeysMax } from "../limits.ts";
import { AbsentKeys } from "./published-keys.ts";

describe("the memory of absent keys", () => {
  it("knows absent keys until they are published", () => {
    const keyId = fc.integer({ min: 0, max: 9 }).map(String);
    const steps = fc.array(fc.tuple(fc.constantFrom("add", "delete"), keyId));
    fc.assert(
      fc.property(steps, (steps) => {
        const absentKeys = new AbsentKeys();
        const model = new Set<string>();
        for (const [action, keyId] of steps) {
          absentKeys[action](keyId);
          model[action](keyId);
          for (let id = 0; id <= 9; id++) {
            assert.equal(absentKeys.has(`${id}`), model.has(`${id}`));
          }
          assert.equal(absentKeys.size, model.size);
        }
      }),
    );
  });

  it("is bounded, and first forgets those that were not requested", () => {
    const absentKeys = new AbsentKeys();
    absentKeys.add("repeated");
    absentKeys.add("once");
    for (let id = 0; id < 3 * absentKeysMax; id++) {
      absentKeys.add(`made up ${id}`);
      assert(absentKeys.has("repeated"));
      assert(absentKeys.size <= absentKeysMax);
    }
    assert.equal(absentKeys.has("once"), false);
  });

  it("holds at least half of its limit, and deletes from both halves", () => {
    const absentKeys = new AbsentKeys();
    const newest = Array.from({ length: absentKeysMax / 2 }, (_, id) => `newest ${id}`);
    for (let id = 0; id < 100; id++) absentKeys.add(`old ${id}`);
    for (const keyId of newest) absentKeys.add(keyId);
    assert(newest.every((keyId) => absentKeys.has(keyId)));
    for (const keyId of newest) absentKeys.delete(keyId);
    assert(!newest.some((keyId) => absentKeys.has(keyId)));
  });
});
