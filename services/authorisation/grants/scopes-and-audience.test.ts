import assert from "node:assert/strict";
import { it } from "node:test";
import { chooseScopes } from "./scopes-and-audience.ts";

const allowed = ["a", "b", "c"];
const cases = [
  { what: "all that is allowed when nothing is asked", asked: undefined, granted: "a b c always" },
  { what: "a part of what is allowed", asked: "c a", granted: "c a always" },
  { what: "a scope that is asked for twice once", asked: "b b", granted: "b always" },
  { what: "the scope that is always there once", asked: "always b", granted: "always b" },
];
for (const { what, asked, granted } of cases) {
  it(`grants ${what}`, () => {
    assert.equal(chooseScopes(asked, allowed, "always").join(" "), granted);
  });
}

for (const [asked, scope] of [
  ["d", "d"],
  ["a d", "d"],
  ["A", "A"],
  ["toString b", "toString"],
]) {
  it(`refuses "${asked}"`, () => {
    const refusal = { error: "invalid_scope", statusCode: 400, scope };
    assert.throws(() => chooseScopes(asked, allowed, "always"), refusal);
  });
}

it("grants a client without scopes what is always there, and nothing else", () => {
  assert.deepEqual(chooseScopes(undefined, [], "always"), ["always"]);
  assert.throws(() => chooseScopes("a", [], "always"), { error: "invalid_scope" });
});
