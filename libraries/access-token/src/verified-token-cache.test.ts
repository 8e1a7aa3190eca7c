import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { AuthorizationDetail, VerifiedToken } from "./access-token.ts";
import { VerifiedTokenCache } from "./verified-token-cache.ts";

function entry(subject: string, details?: AuthorizationDetail[]): VerifiedToken {
  const token = { subject, scopes: new Set(), audience: [], authorizationDetails: details };
  return { token } as unknown as VerifiedToken;
}

describe("the cache of verified tokens", () => {
  it("never gives one token what was kept for another, and never more than its bound", () => {
    const token = fc.integer({ min: 0, max: 9 }).map((number) => `token-${number}`);
    const step = fc.tuple(fc.constantFrom("set", "set", "get", "delete"), token);
    const manySteps = fc.array(step, { minLength: 10, maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), manySteps, (entriesMax, steps) => {
        const cache = new VerifiedTokenCache({ entriesMax });
        const kept = new Map<string, VerifiedToken>();
        for (const [action, name] of steps) {
          if (action === "set") {
            kept.set(name, entry(name));
            cache.set(name, kept.get(name) as VerifiedToken);
            assert.equal(cache.get(name), kept.get(name));
          } else if (action === "delete") {
            kept.delete(name);
            cache.delete(name);
            assert.equal(cache.get(name), undefined);
          } else {
            const found = cache.get(name);
            assert(found === undefined || found === kept.get(name));
          }
          assert(cache.statistics.entries <= entriesMax);
        }
      }),
    );
  });

  it("forgets first what has not been asked for", () => {
    const cache = new VerifiedTokenCache({ entriesMax: 8 });
    cache.set("busy", entry("busy"));
    for (let number = 0; number < 100; number++) {
      cache.set(`seen once ${number}`, entry(`${number}`));
      assert(cache.get("busy"), `forgotten after ${number} others`);
    }
    assert.equal(cache.get("seen once 0"), undefined);
  });

  it("holds half of its entries at least, whatever comes", () => {
    const cache = new VerifiedTokenCache({ entriesMax: 8 });
    for (let number = 0; number < 100; number++) cache.set(`${number}`, entry(`${number}`));
    for (const number of [96, 97, 98, 99]) assert(cache.get(`${number}`));
  });

  it("holds fewer long tokens than short ones", () => {
    const longest = (number: number) => `${number}`.padStart(8 * 1024, "x");
    const cache = new VerifiedTokenCache({ bytesMax: 256 * 1024 });
    for (let number = 0; number < 100; number++) cache.set(longest(number), entry(`${number}`));
    assert(
      cache.statistics.entries >= 4 && cache.statistics.entries <= 12,
      `holds ${cache.statistics.entries}`,
    );
    const short = new VerifiedTokenCache({ bytesMax: 256 * 1024 });
    for (let number = 0; number < 100; number++) short.set(`${number}`, entry(`${number}`));
    assert.equal(short.statistics.entries, 100);
  });

  it("holds fewer tokens of many values than of few, and none that alone is too large", () => {
    const cache = new VerifiedTokenCache({ bytesMax: 256 * 1024 });
    const withValues = (count: number) => [{ type: "a", list: Array(count).fill({}) }];
    for (let number = 0; number < 100; number++) {
      cache.set(`${number}`, entry(`${number}`, withValues(400)));
    }
    assert(
      cache.statistics.entries >= 3 && cache.statistics.entries <= 6,
      `holds ${cache.statistics.entries}`,
    );
    cache.set("99", entry("99", withValues(1400)));
    assert.equal(cache.get("99"), undefined);
    assert(cache.get("98"));
  });

  it("counts what it deletes and replaces as gone", () => {
    const cache = new VerifiedTokenCache({ bytesMax: 64 * 1024 });
    const token = "x".repeat(8 * 1024);
    cache.set("kept", entry("kept"));
    for (let time = 0; time < 100; time++) {
      cache.set(token, entry(token));
      cache.delete(token);
    }
    for (let time = 0; time < 100; time++) cache.set("again", entry("again"));
    assert(cache.get("kept"));
  });
});
