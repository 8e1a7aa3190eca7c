import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeName } from "./format.ts";

describe("escapeName()", () => {
  it("tells a control character from the characters that it is shown as", () => {
    assert.equal(escapeName("a\tb"), "a\\tb");
    assert.equal(escapeName("a\\tb"), "a\\\\tb");
    assert.equal(escapeName("\u001b\\u{1b}"), "\\u{1b}\\\\u{1b}");
  });
});
