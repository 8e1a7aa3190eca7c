import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeKey } from "./read-page.ts";

describe("a key in percent-encoding", () => {
  for (const [encoded, key] of [
    ["a/b", "a/b"],
    ["a%20b+c%2Bd", "a b c+d"],
    ["%C3%BC%f0%9f%99%82%00", "ü🙂\0"],
    ["100%+%zz%20", "100% %zz "],
    ["%FFa%C3%BC", Buffer.from("ff61c3bc", "hex")],
    // Half of a surrogate pair is not UTF-8.
    ["%ED%A0%80", Buffer.from("eda080", "hex")],
  ] as const) {
    it(`is decoded: ${encoded}`, () => assert.deepEqual(decodeKey(encoded), key));
  }
});
