import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { printable, printableLines } from "./printable.ts";

describe("printable()", () => {
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
    it(`shows ${what}`, () => assert.equal(printable(text), expected));
  }

  it("leaves no control characters and no marks of direction", () => {
    const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
    assert.doesNotMatch(
      printable(all),
      /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u,
    );
    assert.equal(printable(printable(all)), printable(all));
  });
});

it("printableLines() leaves line feeds", () => {
  assert.equal(printableLines("a\r\n\tb\u202e\n"), "a\\r\n\\tb\\u{202e}\n");
});
