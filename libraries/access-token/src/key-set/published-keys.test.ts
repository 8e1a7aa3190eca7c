import assert from "node:assert/strict";
import type { KeyObject } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { makeSigningKey } from "../../testing/signing-key.ts";
import type { JsonValue } from "../parse-json.ts";
import { PublishedKeys } from "./published-keys.ts";
import { readKeySet } from "./read-key-set.ts";

const materials = [0, 1, 2].map((number) => makeSigningKey(`material ${number}`).jwk);

/** Which material is published under which key ID. Each fetch brings new objects. */
type Published = Record<string, number>;

function fetched(published: Published): ReadonlyMap<string, KeyObject> {
  const entries = Object.entries(published);
  if (entries.length === 0) return new Map();
  const keys = entries.map(([kid, material]) => ({ ...materials[material], kid }));
  return readKeySet({ keys } as JsonValue);
}

const published = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.nat(2));

describe("published keys", () => {
  it("keep their objects exactly as long as their material, and report changes", () => {
    fc.assert(
      fc.property(fc.array(published, { maxLength: 8 }), (fetches) => {
        const keys = new PublishedKeys(Number.POSITIVE_INFINITY);
        let before: Published = {};
        for (const now of fetches) {
          const held = new Map(keys.keyIds.map((keyId) => [keyId, keys.get(keyId)]));
          const changes = keys.replace(fetched(now), 0);
          const all = Object.keys(now);
          assert.deepEqual(keys.keyIds, all);
          assert.deepEqual(changes, {
            added: all.filter((keyId) => !(keyId in before)),
            withdrawn: Object.keys(before).filter((keyId) => !(keyId in now)),
            replaced: all.filter((keyId) => keyId in before && before[keyId] !== now[keyId]),
          });
          for (const keyId of all) {
            const isSame = before[keyId] === now[keyId];
            assert.equal(keys.get(keyId) === held.get(keyId), isSame, `${keyId}`);
            assert.equal(
              keys.get(keyId)?.export({ format: "jwk" }).n,
              materials[now[keyId] ?? 0]?.n,
            );
          }
          before = now;
        }
      }),
      { numRuns: 50 },
    );
  });

  it("grow old from the start of the fetch", () => {
    const keys = new PublishedKeys(60_000);
    keys.replace(fetched({ a: 0 }), 1_000);
    assert.deepEqual(
      [31_000, 31_001].map((nowMs) => keys.shouldBeRenewed(nowMs)),
      [false, true],
    );
    assert.deepEqual(
      [61_000, 61_001].map((nowMs) => keys.areTooOld(nowMs)),
      [false, true],
    );
  });
});
