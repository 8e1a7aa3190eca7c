import assert from "node:assert/strict";
import { it } from "node:test";
import { describeScopes } from "./scopes.ts";

it("a scope has a sentence, or is named, even if it is a name of JavaScript", () => {
  assert.deepEqual(describeScopes(["openid", "x:y", "constructor"]), [
    "Know who you are",
    "Use the right “x:y”",
    "Use the right “constructor”",
  ]);
});
