import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import { TimestampSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { isoOfMicros, microsOfMonth, microsOfNanos } from "./microseconds.ts";
import {
  isoAtOrBefore,
  microsAtOrAfter,
  microsAtOrBefore,
  timestampOfMicros,
} from "./timestamps.ts";

describe("microseconds", () => {
  it("are rounded towards the inside of a bound", () => {
    const time = create(TimestampSchema, { seconds: -1n, nanos: 999_999_001 });
    assert.equal(microsAtOrBefore(time), -1n);
    assert.equal(microsAtOrAfter(time), 0n);
  });

  it("of nanoseconds are rounded down, also before 1970 and after the year 9999", () => {
    assert.equal(microsOfNanos(1999n), 1n);
    assert.equal(microsOfNanos(-1n), -1n);
    assert.equal(microsOfNanos(-1000n), -1n);
    assert.equal(microsOfNanos(400_000_000_000_000_000_001n), 400_000_000_000_000_000n);
  });

  it("become a timestamp and come back unchanged, also before 1970", () => {
    for (const micros of [-62_135_596_800_000_000n, -1n, 0n, 1_700_000_000_123_456n]) {
      const time = timestampOfMicros(micros);
      assert.ok(time.nanos >= 0);
      assert.equal(microsAtOrBefore(time), micros);
      assert.equal(microsAtOrAfter(time), micros);
    }
  });

  it("are written with six digits in years 1 to 9999", () => {
    assert.equal(isoOfMicros(-62_135_596_800_000_000n), "0001-01-01T00:00:00.000000Z");
    assert.equal(isoOfMicros(-1n), "1969-12-31T23:59:59.999999Z");
    assert.equal(isoOfMicros(253_402_300_799_999_999n), "9999-12-31T23:59:59.999999Z");
  });

  it("are written as JavaScript writes their milliseconds, with three digits more", () => {
    const micros = fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n });
    fc.assert(
      fc.property(micros, (at) => {
        const rest = ((at % 1000n) + 1000n) % 1000n;
        const milliseconds = new Date(Number((at - rest) / 1000n)).toISOString().slice(0, -1);
        const expected = `${milliseconds}${String(rest).padStart(3, "0")}Z`;
        assert.equal(isoOfMicros(at), expected);
        assert.equal(isoAtOrBefore(timestampOfMicros(at)), expected);
      }),
    );
  });

  it("of a timestamp are written rounded down", () => {
    const time = create(TimestampSchema, { seconds: -1n, nanos: 1_999 });
    assert.equal(isoAtOrBefore(time), "1969-12-31T23:59:59.000001Z");
  });

  it("after the year 9999 are later than everything", () => {
    const last = create(TimestampSchema, { seconds: 253_402_300_799n, nanos: 999_999_999 });
    assert.equal(isoOfMicros(microsAtOrAfter(last)), "infinity");
  });

  it("of a month begin at its first day, in every year", () => {
    assert.equal(isoOfMicros(microsOfMonth(1, 1)), "0001-01-01T00:00:00.000000Z");
    assert.equal(isoOfMicros(microsOfMonth(99, 13)), "0100-01-01T00:00:00.000000Z");
    const march = timestampFromMs(Date.UTC(2024, 2, 1));
    assert.equal(microsOfMonth(2024, 3), microsAtOrAfter(march));
  });
});
