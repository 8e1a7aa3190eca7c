import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { FieldViolations, JsonFieldError } from "./field-violations.ts";
import { readTimestamp } from "./read-values.ts";

const accepted: Record<string, string> = {
  "2026-01-31T12:00:00Z": "2026-01-31T12:00:00Z",
  "2024-02-29T23:59:59.5Z": "2024-02-29T23:59:59.500Z",
  "2000-02-29T00:00:00.000001Z": "2000-02-29T00:00:00.000001Z",
  "1969-12-31T23:59:59.999999999Z": "1969-12-31T23:59:59.999999999Z",
  "2026-01-01T00:30:00+01:00": "2025-12-31T23:30:00Z",
  "2026-01-01T00:30:00.25-23:59": "2026-01-02T00:29:00.250Z",
  "0001-01-01T00:00:00Z": "0001-01-01T00:00:00Z",
  "0000-12-31T23:00:00-01:00": "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z": "9999-12-31T23:59:59.999999999Z",
};

const outOfRange = [
  "0000-12-31T23:59:59.999999999Z",
  "0001-01-01T00:00:00+00:01",
  "9999-12-31T23:59:59-00:01",
];

const malformed: JsonValue[] = [
  "",
  "2026-01-31",
  "2026-01-31T12:00:00",
  "2026-01-31 12:00:00Z",
  "2026-01-31t12:00:00z",
  "2026-01-31T12:00Z",
  "2026-01-31T12:00:00.Z",
  "2026-01-31T12:00:00.1234567890Z",
  "2026-01-31T12:00:00,5Z",
  "2026-01-31T12:00:00+0100",
  "2026-01-31T12:00:00+24:00",
  "2026-01-31T12:00:00+01:60",
  "2026-01-31T24:00:00Z",
  "2026-01-31T23:60:00Z",
  "2016-12-31T23:59:60Z",
  "2023-02-29T00:00:00Z",
  "2023-02-30T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-13-10T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-01-32T00:00:00Z",
  "+2026-01-31T12:00:00Z",
  "10000-01-01T00:00:00Z",
  " 2026-01-31T12:00:00Z",
  "2026-01-31T12:00:00Z\n",
  "２026-01-31T12:00:00Z",
  1769860800,
  { seconds: 1 },
  [],
];

describe("readTimestamp()", () => {
  for (const [text, utc] of Object.entries(accepted)) {
    it(`reads ${text}`, () => {
      const timestamp = read(text);
      assert.ok(timestamp);
      assert.equal(toJson(TimestampSchema, timestamp), utc);
    });
  }

  for (const json of malformed) {
    it(`rejects ${JSON.stringify(json)}`, () => {
      assert.throws(() => read(json), /need an RFC 3339 timestamp such as/);
    });
  }

  for (const text of outOfRange) {
    it(`rejects ${text}, outside the years 0001 to 9999`, () => {
      assert.throws(() => read(text), /need a time in the UTC years 0001 to 9999/);
    });
  }

  it("reads random dates and offsets as protobuf JSON does", () => {
    const digits = (max: number, width: number) =>
      fc.integer({ min: 0, max }).map((number) => `${number}`.padStart(width, "0"));
    const offset = fc.oneof(
      fc.constant("Z"),
      fc
        .tuple(fc.constantFrom("+", "-"), digits(24, 2), digits(60, 2))
        .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
    );
    const parts = fc.tuple(
      digits(9999, 4),
      digits(13, 2),
      digits(32, 2),
      digits(24, 2),
      digits(60, 2),
      digits(60, 2),
      fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{1,10}$/)),
      offset,
    );
    const text = parts.map(
      ([y, mo, d, h, mi, s, f, o]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${f}${o}`,
    );
    fc.assert(
      fc.property(text, (json) => {
        const timestamp = readOrNothing(json);
        if (timestamp !== undefined) assert.deepEqual(timestamp, fromJson(TimestampSchema, json));
      }),
      { numRuns: 5000 },
    );
  });
});

function read(json: JsonValue) {
  const violations = new FieldViolations();
  const timestamp = readTimestamp(json, violations);
  violations.throwIfAny();
  return timestamp;
}

function readOrNothing(json: JsonValue) {
  try {
    return read(json);
  } catch (error) {
    if (error instanceof JsonFieldError) return undefined;
    throw error;
  }
}
