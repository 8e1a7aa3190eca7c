import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeControls, escapeName } from "./format.ts";

describe("escapeControls()", () => {
  const shown: Record<string, [text: string, shown: string]> = {
    "ordinary text as it is": ["Grüße 🙂 ~/a b\\c%_", "Grüße 🙂 ~/a b\\c%_"],
    "line breaks and tabs by their letters": ["a\nb\r\tc", "a\\nb\\r\\tc"],
    "the escape character by its number": ["\u001b[31mred", "\\u{1b}[31mred"],
    "NUL, DEL and C1 controls by their numbers": ["\0\u007f\u009b", "\\u{0}\\u{7f}\\u{9b}"],
    "line separators by their numbers": ["\u2028\u2029", "\\u{2028}\\u{2029}"],
    "marks that turn text around": ["gpj.\u202eexe", "gpj.\\u{202e}exe"],
    "half a surrogate pair": ["\ud800", "\\u{d800}"],
  };
  for (const [what, [text, expected]] of Object.entries(shown)) {
    it(`shows ${what}`, () => assert.equal(escapeControls(text), expected));
  }

  it("leaves no control characters", () => {
    const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
    assert.doesNotMatch(escapeControls(all), /[\p{Cc}\p{Zl}\p{Zp}]/u);
  });
});

describe("escapeName()", () => {
  it("tells a control character from the characters that it is shown as", () => {
    assert.equal(escapeName("a\tb"), "a\\tb");
    assert.equal(escapeName("a\\tb"), "a\\\\tb");
    assert.equal(escapeName("\u001b\\u{1b}"), "\\u{1b}\\\\u{1b}");
  });
});
