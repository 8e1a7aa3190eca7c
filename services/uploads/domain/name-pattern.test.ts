import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foldName } from "./fold.ts";
import { namePattern, searchPattern } from "./name-pattern.ts";

describe("searchPattern()", () => {
  const cases: [text: string, like: string][] = [
    ["report", "%report%"],
    ["Report", "%report%"],
    ["report*", "report%"],
    ["*.PDF", "%.pdf"],
    ["a?c", "a_c"],
    ["100%_\\", "%100\\%\\_\\\\%"],
    ["%*_", "\\%%\\_"],
    ["ΟΔΟΣ", "%οδοσ%"],
    ["e\u0301", "%\u00e9%"],
  ];
  for (const [text, like] of cases) {
    it(`reads ${JSON.stringify(text)} as ${JSON.stringify(like)}`, () => {
      assert.deepEqual(searchPattern(text), { like, caseSensitive: false });
    });
  }
});

describe("namePattern()", () => {
  it("keeps the case where it matters, in form C", () => {
    assert.deepEqual(namePattern("equals", "E\u0301A*", true), {
      like: "\u00c9A*",
      caseSensitive: true,
    });
  });

  it("takes * and ? for themselves except in a glob", () => {
    assert.equal(namePattern("prefix", "a*?", true).like, "a*?%");
    assert.equal(namePattern("contains", "a*?", true).like, "%a*?%");
    assert.equal(namePattern("glob", "a*?", true).like, "a%_");
  });
});

describe("foldName()", () => {
  it("makes a piece of a name equal to the same piece of the whole, final sigma or not", () => {
    assert.ok(foldName("ΟΔΟΣ ΑΒΓ").includes(foldName("ΟΔΟΣ")));
    assert.ok(foldName("ΟΔΟΣΑΒΓ").includes(foldName("ΟΔΟΣ")));
    assert.equal(foldName("ς"), foldName("Σ"));
  });
});
