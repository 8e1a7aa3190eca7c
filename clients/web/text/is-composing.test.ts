import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isComposing } from "./is-composing.ts";

describe("a key", () => {
  it("is of an input method while that composes, and when it ends in Safari", () => {
    assert.ok(isComposing({ isComposing: true, keyCode: 40 }));
    assert.ok(isComposing({ isComposing: false, keyCode: 229 }));
  });

  it("is else of the page", () => {
    assert.ok(!isComposing({ isComposing: false, keyCode: 13 }));
  });
});
