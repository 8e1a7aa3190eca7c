/** Checks of the members that several kinds of records have: paths, UUIDs, sizes. */
import type { JsonObject } from "@bufbuild/protobuf";
import { describe } from "@stowage/api/json/field-violations";
import { isUuid } from "@stowage/process";
import { normalisePath, PathError } from "../../model/path.ts";

/** Reports a wrong member of a record: what it is, and what it should be. */
export type Reject = (field: string, got: string, need: string) => void;

/** Whether the JSON of a record has a member that is required; rejects its absence. */
export function requireMember(json: JsonObject, field: string, reject: Reject): boolean {
  const name = field.slice(field.lastIndexOf(".") + 1);
  const isGiven = (json[name] ?? null) !== null;
  if (!isGiven) reject(field, "nothing", "a value");
  return isGiven;
}

/** Returns the path in normal form. */
export function checkPath(path: string, field: string, reject: Reject): string {
  try {
    return normalisePath(path);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    reject(field, describe(path), `another path: it ${error.message}`);
    return "/";
  }
}

/** Returns the UUID in lower case. Empty text means none. */
export function checkOptionalUuid(id: string, field: string, reject: Reject): string {
  if (id !== "" && !isUuid(id)) reject(field, describe(id), "a UUID or an empty text");
  return id.toLowerCase();
}

/** Returns the UUID of a required member, in lower case. */
export function checkUuid(json: JsonObject, id: string, field: string, reject: Reject): string {
  if (requireMember(json, field, reject) && !isUuid(id)) reject(field, describe(id), "a UUID");
  return id.toLowerCase();
}

export function checkSize(text: string, field: string, bytesMax: number, reject: Reject): void {
  // A UTF-16 unit has at most three bytes.
  if (text.length * 3 <= bytesMax) return;
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > bytesMax) reject(field, `${sizeBytes} bytes`, `at most ${bytesMax}`);
}

export function checkCount(list: readonly unknown[], field: string, max: number, reject: Reject) {
  if (list.length > max) reject(field, `${list.length} elements`, `at most ${max}`);
}
