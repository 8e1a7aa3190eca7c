import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readRange } from "./byte-range.ts";

const sizeBytes = 10;
const whole = undefined;
const huge = "99999999999999999999";

describe("a range of ten bytes", () => {
  const cases: readonly [header: string, range: readonly [number, number] | string | undefined][] =
    [
      ["bytes=2-4", [2, 4]],
      ["BYTES= 2-4 ", [2, 4]],
      ["bytes=0-0", [0, 0]],
      ["bytes=8-", [8, 9]],
      ["bytes=8-10", [8, 9]],
      [`bytes=8-${huge}`, [8, 9]],
      ["bytes=-3", [7, 9]],
      ["bytes=-10", [0, 9]],
      ["bytes=-11", [0, 9]],
      [`bytes=-${huge}`, [0, 9]],
      ["bytes=10-", "unsatisfiable"],
      [`bytes=${huge}-`, "unsatisfiable"],
      ["bytes=-0", "unsatisfiable"],
      ["bytes=5-2", whole],
      ["bytes=20-11", whole],
      ["bytes=-", whole],
      ["bytes=2", whole],
      ["bytes=a-4", whole],
      ["bytes=+2-4", whole],
      ["bytes", whole],
      ["lines=2-4", whole],
      ["bytes=2-4,6-7", whole],
    ];
  for (const [header, expected] of cases) {
    it(`${header} is ${expected ?? "all of them"}`, () => {
      const range = readRange(header, sizeBytes);
      assert.deepEqual(typeof range === "object" ? [range.first, range.last] : range, expected);
    });
  }
});

it("the last bytes of an empty file are all that it has, and no range begins in it", () => {
  assert.equal(readRange("bytes=-5", 0), whole);
  assert.equal(readRange("bytes=0-", 0), "unsatisfiable");
});
