/** Checks of values that several kinds of records have. */
import type { JsonObject } from "@bufbuild/protobuf";
import { describe } from "@stowage/api/json/field-violations";
import { normalisePath, PathError } from "../model/path.ts";
import { isUuid } from "../model/uuid.ts";
import type { Refuse } from "./fault.ts";

/** Whether the JSON of a record has a member that it cannot do without; refuses its absence. */
export function requireMember(json: JsonObject, field: string, refuse: Refuse): boolean {
  const name = field.slice(field.lastIndexOf(".") + 1);
  const isGiven = (json[name] ?? null) !== null;
  if (!isGiven) refuse(field, "nothing", "a value");
  return isGiven;
}

/** The path in normal form. */
export function checkPath(path: string, field: string, refuse: Refuse): string {
  try {
    return normalisePath(path);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    refuse(field, describe(path), `another path: it ${error.message}`);
    return "/";
  }
}

/** The UUID in lower case. Empty text is none. */
export function checkOptionalUuid(id: string, field: string, refuse: Refuse): string {
  if (id !== "" && !isUuid(id)) refuse(field, describe(id), "a UUID or an empty text");
  return id.toLowerCase();
}

/** The UUID of a member that must be given, in lower case. */
export function checkUuid(json: JsonObject, id: string, field: string, refuse: Refuse): string {
  if (requireMember(json, field, refuse) && !isUuid(id)) refuse(field, describe(id), "a UUID");
  return id.toLowerCase();
}

/** Refuses text of more bytes. */
export function checkSize(text: string, field: string, bytesMax: number, refuse: Refuse): void {
  // A UTF-16 unit is at most three bytes.
  if (text.length * 3 <= bytesMax) return;
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > bytesMax) refuse(field, `${sizeBytes} bytes`, `at most ${bytesMax}`);
}

/** Refuses lists of more elements. */
export function checkCount(list: readonly unknown[], field: string, max: number, refuse: Refuse) {
  if (list.length > max) refuse(field, `${list.length} elements`, `at most ${max}`);
}
