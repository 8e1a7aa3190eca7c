import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namePattern, searchPattern } from "./name-pattern.ts";

describe("searchPattern()", () => {
  const cases: [given: string, rule: string, text: string][] = [
    ["Report", "contains", "report"],
    ["100%_\\", "contains", "100%_\\"],
    ["Report*", "glob", "report*"],
    ["a?c", "glob", "a?c"],
    ["ΟΔΟΣ", "contains", "οδοσ"],
    ["e\u0301", "contains", "\u00e9"],
  ];
  for (const [given, rule, text] of cases) {
    it(`takes ${JSON.stringify(given)} for ${rule} ${JSON.stringify(text)}`, () => {
      assert.deepEqual(searchPattern(given), { rule, text, caseSensitive: false });
    });
  }
});

describe("namePattern()", () => {
  it("keeps the case where it matters, in form C", () => {
    assert.deepEqual(namePattern("equals", "E\u0301A*", true), {
      rule: "equals",
      text: "\u00c9A*",
      caseSensitive: true,
    });
  });
});
