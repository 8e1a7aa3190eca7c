import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeName, formatSize } from "./format.ts";

describe("escapeName()", () => {
  it("tells a control character from the characters that it is shown as", () => {
    assert.equal(escapeName("a\tb"), "a\\tb");
    assert.equal(escapeName("a\\tb"), "a\\\\tb");
    assert.equal(escapeName("\u001b\\u{1b}"), "\\u{1b}\\\\u{1b}");
  });
});

describe("formatSize()", () => {
  const shown: [sizeBytes: bigint, text: string][] = [
    [0n, "0 B"],
    [1023n, "1023 B"],
    [1024n, "1.0 KiB"],
    [1536n, "1.5 KiB"],
    [10n * 1024n, "10 KiB"],
    [1024n * 1024n - 1n, "1.0 MiB"],
    [314n * 1024n ** 2n, "314 MiB"],
    [2n ** 53n - 1n, "8.0 PiB"],
  ];
  for (const [sizeBytes, text] of shown) {
    it(`shows ${sizeBytes} as ${text}`, () => assert.equal(formatSize(sizeBytes), text));
  }

  it("needs at most 8 characters for any size", () => {
    for (let exponent = 0n; exponent <= 53n; exponent++) {
      for (const offset of [-1n, 0n, 1n]) {
        const text = formatSize(2n ** exponent + offset);
        assert.ok(text.length <= 8, text);
      }
    }
  });
});
