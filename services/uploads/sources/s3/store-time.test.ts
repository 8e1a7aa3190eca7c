import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { microsOfTime } from "./store-time.ts";

describe("a time of a store", () => {
  const zone = process.env.TZ;
  before(() => {
    process.env.TZ = "America/New_York";
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  for (const [text, utc] of [
    ["2026-01-01T00:00:00.123Z", "2026-01-01T00:00:00.123Z"],
    ["2026-01-01T00:00:00", "2026-01-01T00:00:00Z"],
    ["2026-01-01 00:00:00", "2026-01-01T00:00:00Z"],
    ["2026-01-01", "2026-01-01T00:00:00Z"],
    ["2026-01-01T00:00:00+02:00", "2025-12-31T22:00:00Z"],
    ["2026-01-01T00:00:00.000+0200", "2025-12-31T22:00:00Z"],
    ["2026-01-01t00:00z", "2026-01-01T00:00:00Z"],
    ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"],
    ["9999-12-31T23:59:59-10:00", "+010000-01-01T09:59:59Z"],
  ] as const) {
    it(`${text} is ${utc}`, () => {
      assert.equal(microsOfTime(text), BigInt(Date.parse(utc)) * 1000n);
    });
  }

  for (const text of [
    "",
    "yesterday",
    "2026",
    "Thu, 01 Jan 2026 00:00:00 GMT",
    "12026-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-02-29",
    "2026-04-31T00:00:00",
    "2026-13-01",
    "2026-01-00",
    "2026-01-01T25:00:00Z",
    "2026-01-01T00:00:00Z ",
    "2026-01-01T00:00:00 CET",
  ]) {
    it(`cannot be ${JSON.stringify(text)}`, () => {
      assert.equal(microsOfTime(text), undefined);
    });
  }
});
