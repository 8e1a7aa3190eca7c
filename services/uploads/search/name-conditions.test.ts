import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type NameRule, namePattern } from "../model/name-pattern.ts";
import { likePattern } from "./name-conditions.ts";

describe("likePattern()", () => {
  const cases: [rule: NameRule, text: string, like: string][] = [
    ["equals", "a*?", "a*?"],
    ["prefix", "a*?", "a*?%"],
    ["contains", "a*?", "%a*?%"],
    ["glob", "a*?", "a%_"],
    ["glob", "*.pdf", "%.pdf"],
    ["contains", "100%_\\", "%100\\%\\_\\\\%"],
    ["glob", "%*_", "\\%%\\_"],
    ["contains", "", "%%"],
  ];
  for (const [rule, text, like] of cases) {
    it(`of ${rule} ${JSON.stringify(text)} is ${JSON.stringify(like)}`, () => {
      assert.equal(likePattern(namePattern(rule, text, true)), like);
    });
  }
});
