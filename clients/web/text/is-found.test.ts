import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isFound } from "./is-found.ts";

describe("a name that is searched for", () => {
  it("has the text, in upper or lower case", () => {
    assert.ok(isFound("Cafe\u0301 2026", "CAFÉ"));
    assert.ok(isFound("anything", ""));
    assert.ok(isFound("ΟΔΟΣΑΒΓ", "ΟΔΟΣ"));
    assert.ok(!isFound("dir-2", "dir-1"));
  });

  it("matches a pattern as a whole", () => {
    assert.ok(isFound("dir-1", "dir-1*"));
    assert.ok(isFound("Dir-10", "dir-1?"));
    assert.ok(!isFound("dir-10", "?ir-1"));
    assert.ok(!isFound("my dir-1", "dir-1*"));
    assert.ok(isFound("a.b", "?.?"));
    assert.ok(!isFound("a.b", "a?b.*"));
    // One character may be two of JavaScript's.
    assert.ok(isFound("🙂", "?"));
  });

  it("is found as a regular expression would find it", () => {
    const words = (letters: string, length: number): string[] =>
      length === 0
        ? [""]
        : words(letters, length - 1).flatMap((word) => [...letters].map((letter) => word + letter));
    const names = [0, 1, 2, 3, 4, 5].flatMap((length) => words("ab", length));
    for (const pattern of [1, 2, 3, 4].flatMap((length) => words("ab*?", length))) {
      if (!/[*?]/.test(pattern)) continue;
      const regex = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
      for (const name of names) assert.equal(isFound(name, pattern), regex.test(name), pattern);
    }
  });

  it("is told at once for a pattern with many stars", { timeout: 5000 }, () => {
    assert.ok(!isFound("a".repeat(255), `${"*a".repeat(127)}*b`));
  });
});
