/**
 * A parser that is stricter than `JSON.parse`: the bytes must be UTF-8 and contain one object of a
 * limited depth without repeated names. `JSON.parse` takes the last of two equal names and other
 * parsers take the first, so the same signed bytes could have two meanings. (`api/json` has a copy
 * of this parser with other limits; neither package may import the other.)
 */
import { isUtf8 } from "node:buffer";
import { jsonDepthMax } from "./limits.ts";

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

export type JsonObject = { readonly [name: string]: JsonValue };

/** Throws a SyntaxError whose message names the problem and quotes nothing of the text. */
export function parseJsonObject(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw new SyntaxError("not UTF-8");
  // Unlike a TextDecoder, toString keeps a byte order mark, which JSON.parse then rejects.
  const text = bytes.toString("utf8");
  const namesWritten = countNames(bytes);
  const value = parse(text);
  if (!isJsonObject(value)) throw new SyntaxError("not a JSON object");
  if (countMembers(value) !== namesWritten) throw new SyntaxError("a name is given twice");
  return value;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object's own member; undefined for a name that only its prototype has. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    // V8's message quotes the text, which is not verified yet.
    throw new SyntaxError("not JSON");
  }
}

/**
 * Counts the colons outside strings: well-formed JSON has one for each name. All relevant
 * characters are single bytes in UTF-8, and no other character contains such a byte.
 */
function countNames(bytes: Buffer): number {
  let names = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case 0x22 /* " */:
        at = endOfString(bytes, at);
        break;
      case 0x3a /* : */:
        names++;
        break;
      case 0x7b /* { */:
      case 0x5b /* [ */:
        if (++depth > jsonDepthMax) throw new SyntaxError(`nested deeper than ${jsonDepthMax}`);
        break;
      case 0x7d /* } */:
      case 0x5d /* ] */:
        depth--;
        break;
    }
  }
  return names;
}

function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22 /* " */) return at;
    if (byte === 0x5c /* \\ */) at++;
  }
  throw new SyntaxError("not JSON");
}

function countMembers(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const isArray = Array.isArray(value);
  const values = isArray ? value : Object.values(value);
  let members = isArray ? 0 : values.length;
  for (const inner of values) members += countMembers(inner);
  return members;
}
