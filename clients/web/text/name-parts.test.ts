import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type NamePart, nameParts, pathAndNameParts } from "./name-parts.ts";

/** With matches in brackets. */
function marked(parts: readonly NamePart[]): string {
  return parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join("");
}

describe("the parts of a name that a filter has found", () => {
  const shown: [name: string, text: string, marked: string][] = [
    ["Report-report.pdf", "report", "[Report]-[report].pdf"],
    ["report.pdf", "", "report.pdf"],
    ["Cafe\u0301.txt", "CAFÉ", "[Café].txt"],
    ["ΟΔΟΣΑΒΓ", "ΟΔΟΣ", "[ΟΔΟΣ]ΑΒΓ"],
    ["İstanbul", "i", "İstanbul"],
    ["", "a", ""],
  ];
  for (const [name, text, parts] of shown) {
    it(`are ${parts} for “${text}”`, () => assert.equal(marked(nameParts(name, text)), parts));
  }
});

describe("the parts of a path and a name that a search has found", () => {
  const shown: [words: string, path: string, name: string][] = [
    ["report", "/2024/[report]s", "Q1 [Report].pdf"],
    ["2024 q1", "/[2024]/reports", "[Q1] Report.pdf"],
    ["repo port", "/2024/[report]s", "Q1 [Report].pdf"],
    ["reports/q1", "/2024/[reports]", "[Q1] Report.pdf"],
    ["other", "/2024/reports", "Q1 Report.pdf"],
    ["*report.p?f", "/2024/reports", "Q1 [Report.p]df"],
    ["/2024/re*", "[/2024/re]ports", "Q1 Report.pdf"],
    ["**", "/2024/reports", "Q1 Report.pdf"],
  ];
  for (const [text, path, name] of shown) {
    it(`are ${path} and ${name} for “${text}”`, () => {
      const words = text.split(" ").map((word) => ({ text: word, isPattern: /[*?]/.test(word) }));
      const parts = pathAndNameParts("/2024/reports", "Q1 Report.pdf", words);
      assert.deepEqual([marked(parts.path), marked(parts.name)], [path, name]);
    });
  }

  it("are whole at the root, and where characters are composed", () => {
    const words = [{ text: "é", isPattern: false }];
    const atRoot = pathAndNameParts("/", "e\u0301t\u00e9", words);
    assert.deepEqual([marked(atRoot.path), marked(atRoot.name)], ["/", "[é]t[é]"]);
    const below = pathAndNameParts("/e\u0301te\u0301", "e\u0301", words);
    assert.deepEqual([marked(below.path), marked(below.name)], ["/[é]t[é]", "[é]"]);
  });
});
