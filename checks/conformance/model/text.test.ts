/** Tests of the model itself, where it could be wrong. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { compareCodePoints, fold, matchesPattern } from "./text.ts";
import { nanosecondsOf, startOfMonth, writeTime } from "./time.ts";

it("text is ordered by code point, not by UTF-16 unit", () => {
  const sorted = ["", "A", "a", "a ", "aa", "\ud7ff", "\ue000", "\uff5e", "\u{1f600}", "\u{1f601}"];
  assert.deepEqual(sorted.toReversed().sort(compareCodePoints), sorted);
});

it("folding ignores case, normalisation form and the form of a sigma, and nothing else", () => {
  assert.equal(fold("CAFE\u0301"), "caf\u00e9");
  assert.equal(fold("\u039f\u0394\u039f\u03a3"), fold("\u03bf\u03b4\u03bf\u03c3"));
  assert.equal(fold("\u212b"), "\u00e5");
  assert.notEqual(fold("stra\u00dfe"), fold("STRASSE"));
  assert.notEqual(fold("e"), fold("\u00e9"));
});

it("patterns match whole texts", () => {
  for (const [text, pattern] of [
    ["report.pdf", "report*"],
    ["report.pdf", "*.pdf"],
    ["report.pdf", "*"],
    ["", "*"],
    ["", ""],
    ["\u{1f600}", "?"],
    ["abcbcd", "a*bc?"],
    ["a/b", "a?b"],
    ["[a].", "[a]."],
  ] as const) {
    assert.ok(matchesPattern(text, pattern), `${text} ${pattern}`);
  }
  for (const [text, pattern] of [
    ["a report", "report*"],
    ["", "?"],
    ["ab", "?"],
    ["abc", "a*d"],
    ["abc", ""],
    ["a", "[a]"],
  ] as const) {
    assert.ok(!matchesPattern(text, pattern), `${text} ${pattern}`);
  }
});

it("times are kept to the nanosecond and written to the microsecond", () => {
  const written = (text: string) => writeTime(nanosecondsOf(text));
  assert.equal(written("2026-01-02T04:04:05.678901999+01:00"), "2026-01-02T03:04:05.678901Z");
  assert.equal(written("2026-01-02T03:04:05.1Z"), "2026-01-02T03:04:05.100Z");
  assert.equal(written("0001-01-01T00:00:00.000001Z"), "0001-01-01T00:00:00.000001Z");
  assert.equal(written("1969-12-31T23:59:59.999999Z"), "1969-12-31T23:59:59.999999Z");
  assert.equal(writeTime(startOfMonth(1, 1)), "0001-01-01T00:00:00Z");
  assert.equal(writeTime(startOfMonth(2025, 13)), "2026-01-01T00:00:00Z");
});
