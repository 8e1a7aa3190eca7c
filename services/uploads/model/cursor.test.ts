import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cursorLengthMax, decodeCursor, encodeCursor } from "./cursor.ts";

const key = new Uint8Array(32).fill(7);
const position = { sortKey: "résumé 😀.pdf", uploadId: "6f1c2a4e-0000-4000-8000-000000000001" };
const cursor = encodeCursor(position, "query", key);
const mismatch = { name: "ApiError", reason: "CURSOR_MISMATCH" };

describe("a cursor", () => {
  it("gives back its position", () => {
    assert.deepEqual(decodeCursor(cursor, "query", key), position);
  });

  it("has room for the longest filename and ID", () => {
    const longest = { sortKey: "\u0001".repeat(1024), uploadId: "a".repeat(128) };
    const long = encodeCursor(longest, "query", key);
    assert.ok(long.length <= cursorLengthMax);
    assert.deepEqual(decodeCursor(long, "query", key), longest);
  });

  it("is refused for another query", () => {
    assert.throws(() => decodeCursor(cursor, "another", key), mismatch);
  });

  it("is refused under another key", () => {
    assert.throws(() => decodeCursor(cursor, "query", new Uint8Array(32)), mismatch);
  });

  it("is refused with any character changed, left out or added", () => {
    for (let at = 0; at < cursor.length; at++) {
      for (const character of ["A", "B", "", "=", " "]) {
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        if (changed !== cursor) assert.throws(() => decodeCursor(changed, "query", key), mismatch);
      }
    }
    assert.throws(() => decodeCursor(`${cursor}A`, "query", key), mismatch);
  });

  for (const text of ["", "A", "not base64url!", "A".repeat(2000)]) {
    it(`is refused when it is ${JSON.stringify(text).slice(0, 24)}`, () => {
      assert.throws(() => decodeCursor(text, "query", key), mismatch);
    });
  }
});
