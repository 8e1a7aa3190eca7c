import { create, type JsonValue } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, type FieldCursor } from "./field-cursor.ts";

const form =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

const secondsMin = Date.parse("0001-01-01T00:00:00Z") / 1000;
const secondsMax = Date.parse("9999-12-31T23:59:59Z") / 1000;

/**
 * A timestamp in the RFC 3339 form that protobuf JSON allows: upper case `T` and `Z`, any offset,
 * up to 9 fraction digits, no leap second, from the UTC years 0001 to 9999.
 */
export function readTimestamp(json: JsonValue, cursor: FieldCursor): Timestamp | undefined {
  const match = typeof json === "string" ? form.exec(json) : null;
  const seconds = match === null ? undefined : toUnixSeconds(match);
  if (seconds === undefined) {
    return cursor.refuse(
      describe(json),
      "an RFC 3339 timestamp such as 2026-01-31T12:00:00Z, with an offset and a date that exists",
    );
  }
  if (seconds < secondsMin || seconds > secondsMax) {
    return cursor.refuse(describe(json), "a time in the UTC years 0001 to 9999");
  }
  const nanos = Number((match?.[7] ?? "").padEnd(9, "0"));
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
}

function toUnixSeconds(match: RegExpExecArray): number | undefined {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Digits;
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) {
    return undefined;
  }
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A month or day that does not exist comes back as another one.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offsetSeconds = (offsetHour * 60 + offsetMinute) * 60 * (match[8] === "-" ? -1 : 1);
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offsetSeconds;
}

type Digits = [number, number, number, number, number, number];
