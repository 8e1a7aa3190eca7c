/** Reads the values that are not messages of the contract: scalars, structs and timestamps. */
import { create, type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, type FieldViolations } from "./field-violations.ts";

/** Largest integer that every JSON reader keeps exactly: 2^53-1. */
const integerMax = Number.MAX_SAFE_INTEGER;

/** Integer types of protobuf: limits, and whether a message holds them as bigint. */
const integers: Partial<Record<ScalarType, { min: number; max: number; isBigInt: boolean }>> = {
  [ScalarType.INT32]: { min: -(2 ** 31), max: 2 ** 31 - 1, isBigInt: false },
  [ScalarType.UINT32]: { min: 0, max: 2 ** 32 - 1, isBigInt: false },
  [ScalarType.INT64]: { min: -integerMax, max: integerMax, isBigInt: true },
  [ScalarType.UINT64]: { min: 0, max: integerMax, isBigInt: true },
};

/** The message value of a string, boolean or number; undefined if it violates the type. */
export function readScalar(
  type: ScalarType,
  json: JsonValue,
  violations: FieldViolations,
): string | boolean | number | bigint | undefined {
  if (type === ScalarType.STRING) return readString(json, violations);
  if (type === ScalarType.BOOL) {
    return typeof json === "boolean" ? json : violations.add(describe(json), "true or false");
  }
  if (type === ScalarType.DOUBLE) {
    // Adding zero turns -0 into 0: JSON writers do not tell them apart.
    return Number.isFinite(json)
      ? (json as number) + 0
      : violations.add(describe(json), "a number");
  }
  const integer = integers[type];
  if (integer === undefined) {
    throw new Error(`Cannot read ${ScalarType[type]} from JSON: got a type without a reader`);
  }
  const { min, max, isBigInt } = integer;
  if (!Number.isInteger(json) || (json as number) < min || (json as number) > max) {
    return violations.add(describe(json), `an integer from ${min} to ${max}`);
  }
  // Adding zero turns -0 into 0, which protobuf integers do not tell apart.
  return isBigInt ? BigInt(json as number) : (json as number) + 0;
}

/** Text that PostgreSQL and every protobuf reader can hold. */
export function readString(json: JsonValue, violations: FieldViolations): string | undefined {
  if (typeof json !== "string") return violations.add(describe(json), "a string");
  if (!json.isWellFormed()) {
    return violations.add(describe(json), "well-formed Unicode: surrogates only in pairs");
  }
  if (json.includes("\0")) return violations.add(describe(json), "text without U+0000");
  return json;
}

/** Deepest nesting of objects and arrays in a struct, the struct itself included. */
const structDepthMax = 64;

/** A `google.protobuf.Struct`: any JSON object of finite numbers and storable text. */
export function readStruct(json: JsonValue, violations: FieldViolations): JsonObject | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return violations.add(describe(json), "an object");
  }
  checkStructValue(json, violations, 1);
  return json;
}

function checkStructValue(json: JsonValue, violations: FieldViolations, depth: number): void {
  if (typeof json === "string") readString(json, violations);
  // JSON.parse reads a literal such as 1e999 as Infinity.
  else if (typeof json === "number" && !Number.isFinite(json)) {
    violations.add(describe(json), "a number within the range of a double");
  } else if (typeof json === "object" && json !== null) {
    checkStructMembers(json, violations, depth);
  }
}

function checkStructMembers(
  json: JsonObject | JsonValue[],
  violations: FieldViolations,
  depth: number,
): void {
  if (depth > structDepthMax) {
    violations.add("deeper nesting", `at most ${structDepthMax} objects and arrays in one another`);
  } else if (Array.isArray(json)) {
    for (const [index, element] of json.entries()) {
      violations.enterIndex(index);
      checkStructValue(element, violations, depth + 1);
      violations.leave();
    }
  } else {
    for (const [key, element] of Object.entries(json)) {
      violations.enterKey(key);
      readString(key, violations);
      checkStructValue(element, violations, depth + 1);
      violations.leave();
    }
  }
}

const timestampForm =
  /^(\d{4}-\d\d-(\d\d))T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const secondsMin = Date.parse("0001-01-01T00:00:00Z") / 1000;
const secondsMax = Date.parse("9999-12-31T23:59:59Z") / 1000;

/**
 * A timestamp in the RFC 3339 form that protobuf JSON allows: upper case `T` and `Z`, any offset,
 * up to 9 fraction digits, no leap second, from the UTC years 0001 to 9999.
 */
export function readTimestamp(json: JsonValue, violations: FieldViolations): Timestamp | undefined {
  const match = typeof json === "string" ? timestampForm.exec(json) : null;
  const seconds = match === null ? undefined : unixSecondsOf(match);
  if (seconds === undefined) {
    return violations.add(
      describe(json),
      "an RFC 3339 timestamp such as 2026-01-31T12:00:00Z, with an offset and a date that exists",
    );
  }
  if (seconds < secondsMin || seconds > secondsMax) {
    return violations.add(describe(json), "a time in the UTC years 0001 to 9999");
  }
  const nanos = Number((match?.[5] ?? "").slice(1).padEnd(9, "0"));
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
}

/** The seconds of a text in the form of timestamps; undefined if there is no such day. */
function unixSecondsOf([text, date = "", day = ""]: RegExpExecArray): number | undefined {
  const seconds = Math.floor(Date.parse(text) / 1000);
  // JavaScript turns the last days that a month does not have into days of the next month.
  const exists = day <= "28" || new Date(date).getUTCDate() === Number(day);
  return Number.isNaN(seconds) || !exists ? undefined : seconds;
}
