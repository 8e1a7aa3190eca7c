import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nameParts } from "./name-parts.ts";

/** The name with its matches in brackets. */
function marked(name: string, search: string): string {
  return nameParts(name, search)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join("");
}

describe("the parts of a name that a search has found", () => {
  const shown: [name: string, search: string, marked: string][] = [
    ["Report-report.pdf", "report", "[Report]-[report].pdf"],
    ["report.pdf", "", "report.pdf"],
    ["a slug matched", "other", "a slug matched"],
    ["Cafe\u0301.txt", "CAFÉ", "[Café].txt"],
    ["ΟΔΟΣΑΒΓ", "ΟΔΟΣ", "[ΟΔΟΣ]ΑΒΓ"],
    ["invoice-2019.pdf", "*2019.pdf", "invoice-[2019.pdf]"],
    ["invoice-2019-07.pdf", "*2019*.p?f", "invoice-[2019]-07.pdf"],
    ["anything", "**", "anything"],
  ];
  for (const [name, search, text] of shown) {
    it(`are ${text} for “${search}”`, () => assert.equal(marked(name, search), text));
  }
});
