import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, type FieldCursor } from "./field-cursor.ts";
import { readString } from "./read-scalar.ts";

/** Objects and arrays in one another, the struct itself included. */
const structDepthMax = 64;

/** A `google.protobuf.Struct`: any JSON object of finite numbers and storable text. */
export function readStruct(json: JsonValue, cursor: FieldCursor): JsonObject | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return cursor.refuse(describe(json), "an object");
  }
  checkValue(json, cursor, 1);
  return json;
}

function checkValue(json: JsonValue, cursor: FieldCursor, depth: number): void {
  if (typeof json === "string") readString(json, cursor);
  // A literal such as 1e999 is read as Infinity.
  else if (typeof json === "number" && !Number.isFinite(json)) {
    cursor.refuse(describe(json), "a number within the range of a double");
  } else if (typeof json === "object" && json !== null) checkMembers(json, cursor, depth);
}

function checkMembers(json: JsonObject | JsonValue[], cursor: FieldCursor, depth: number): void {
  if (depth > structDepthMax) {
    cursor.refuse("deeper nesting", `at most ${structDepthMax} objects and arrays in one another`);
  } else if (Array.isArray(json)) {
    for (const [index, element] of json.entries()) {
      cursor.enterIndex(index);
      checkValue(element, cursor, depth + 1);
      cursor.leave();
    }
  } else {
    for (const [key, element] of Object.entries(json)) {
      cursor.enterKey(key);
      readString(key, cursor);
      checkValue(element, cursor, depth + 1);
      cursor.leave();
    }
  }
}
