import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { describe, type FieldCursor } from "./field-cursor.ts";

/** Largest integer that every JSON reader keeps exactly: 2^53-1. */
const integerMax = Number.MAX_SAFE_INTEGER;

/** Integer types of protobuf: limits, and whether a message holds them as bigint. */
const integers: Partial<Record<ScalarType, { min: number; max: number; isBigInt: boolean }>> = {
  [ScalarType.INT32]: { min: -(2 ** 31), max: 2 ** 31 - 1, isBigInt: false },
  [ScalarType.UINT32]: { min: 0, max: 2 ** 32 - 1, isBigInt: false },
  [ScalarType.INT64]: { min: -integerMax, max: integerMax, isBigInt: true },
  [ScalarType.UINT64]: { min: 0, max: integerMax, isBigInt: true },
};

/** The message value of a string, bool or integer; undefined when it was refused. */
export function readScalar(
  type: ScalarType,
  json: JsonValue,
  cursor: FieldCursor,
): string | boolean | number | bigint | undefined {
  if (type === ScalarType.STRING) return readString(json, cursor);
  if (type === ScalarType.BOOL) return readBoolean(json, cursor);
  const integer = integers[type];
  if (integer === undefined) {
    throw new Error(`Cannot read ${ScalarType[type]} from JSON: got a type without a reader`);
  }
  const { min, max, isBigInt } = integer;
  if (!Number.isInteger(json) || (json as number) < min || (json as number) > max) {
    return cursor.refuse(describe(json), `an integer from ${min} to ${max}`);
  }
  // Adding zero turns -0 into 0, which protobuf integers do not tell apart.
  return isBigInt ? BigInt(json as number) : (json as number) + 0;
}

/** Text that PostgreSQL and every protobuf reader can hold. */
export function readString(json: JsonValue, cursor: FieldCursor): string | undefined {
  if (typeof json !== "string") return cursor.refuse(describe(json), "a string");
  if (!json.isWellFormed()) {
    return cursor.refuse(describe(json), "well-formed Unicode: surrogates only in pairs");
  }
  if (json.includes("\0")) return cursor.refuse(describe(json), "text without U+0000");
  return json;
}

function readBoolean(json: JsonValue, cursor: FieldCursor): boolean | undefined {
  if (typeof json !== "boolean") return cursor.refuse(describe(json), "true or false");
  return json;
}
