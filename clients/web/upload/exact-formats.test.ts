import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createExactFormats } from "./exact-formats.ts";

describe("exact values", () => {
  const { formatExactSize, formatExactTime } = createExactFormats("en-GB", "Europe/Berlin");

  it("are all bytes of a size, and a size that people can read", () => {
    assert.equal(formatExactSize(0n), "0 bytes");
    assert.equal(formatExactSize(1n), "1 byte");
    assert.match(formatExactSize(1_234_567n), /^1,234,567 bytes \(.*MiB\)$/);
    assert.match(formatExactSize(9_007_199_254_740_991n), /^9,007,199,254,740,991 bytes /);
  });

  it("are times with their zone", () => {
    const time = formatExactTime({ seconds: 1_795_399_445n, nanos: 0 });
    assert.equal(time.replaceAll("\u202f", " "), "23 November 2026 at 03:04:05 CET");
  });
});
