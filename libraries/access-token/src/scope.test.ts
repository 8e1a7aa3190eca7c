import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signToken, validator } from "../testing/tokens.ts";
import { requireScope } from "./scope.ts";
import { ScopeSet } from "./scope-set.ts";

describe("requireScope", async () => {
  const token = await validator.validate(await signToken({ scope: "upl:bucket:read  b" }));

  it("accepts a scope that the token has", () => {
    requireScope(token, "upl:bucket:read");
    requireScope(token, "b");
  });

  for (const scope of [
    "upl:bucket",
    "upl:bucket:rea",
    "upl:bucket:read:all",
    "UPL:BUCKET:READ",
    "B",
  ]) {
    it(`refuses a token that lacks ${scope}`, () => {
      assert.throws(() => requireScope(token, scope), {
        reason: "SCOPE_MISSING",
        requiredScope: scope,
      });
    });
  }

  for (const scope of ["", " ", "a b", "upl:bucket:read ", 'a"', "a\\", "a\tb", "é", undefined]) {
    it(`throws a TypeError when asked for ${JSON.stringify(scope)}`, () => {
      assert.throws(() => requireScope(token, scope as string), TypeError);
    });
  }
});

describe("ScopeSet", () => {
  const scopes: ReadonlySet<string> = new ScopeSet(["a", "b", "a"]);

  it("behaves as a set", () => {
    assert.deepEqual(
      [scopes.size, scopes.has("a"), scopes.has("c"), scopes.has("")],
      [2, true, false, false],
    );
    assert.deepEqual([...scopes], ["a", "b"]);
    assert.deepEqual([...scopes.keys()], [...scopes.values()]);
    assert.deepEqual(
      [...scopes.entries()],
      [
        ["a", "a"],
        ["b", "b"],
      ],
    );
    const other = new Set(["b", "c"]);
    assert.deepEqual([...scopes.union(other)], ["a", "b", "c"]);
    assert.deepEqual([...scopes.intersection(other)], ["b"]);
    assert.deepEqual([...scopes.difference(other)], ["a"]);
    assert.deepEqual([...scopes.symmetricDifference(other)], ["a", "c"]);
    assert.equal(scopes.isSubsetOf(new Set(["a", "b", "c"])), true);
    assert.equal(scopes.isSupersetOf(new Set(["a"])), true);
    assert.equal(scopes.isDisjointFrom(other), false);
    assert.deepEqual([...new Set(["b", "c"]).intersection(scopes)], ["b"]);
  });

  it("cannot be changed, not even through its iterators", () => {
    const seen: unknown[] = [];
    scopes.forEach((scope, again, all) => {
      seen.push(scope, again);
      assert.equal(all, scopes);
    });
    assert.deepEqual(seen, ["a", "a", "b", "b"]);
    scopes.union(new Set()).add("c");
    for (const change of ["add", "delete", "clear"] as const) {
      assert.throws(() => (scopes as Set<string>)[change]("a"), TypeError);
    }
    assert.throws(() => Object.assign(scopes, { has: () => true }), TypeError);
    assert.deepEqual([...scopes], ["a", "b"]);
  });
});
