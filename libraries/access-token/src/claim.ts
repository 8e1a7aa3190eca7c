/** How single claims are read. A claim of a wrong type refuses the token; `null` is one. */
import { type JsonObject, type JsonValue, member } from "./parse-json.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

export function requiredText(claims: JsonObject, name: string): string {
  return requireText(name, member(claims, name));
}

function requireText(name: string, value: JsonValue | undefined): string {
  // A lone surrogate has no UTF-8: once stored, two different subjects could become one.
  if (typeof value !== "string" || value === "" || !value.isWellFormed()) {
    throw claimInvalid(name, value, "a non-empty string");
  }
  return value;
}

export function optionalText(claims: JsonObject, name: string): string | undefined {
  const value = member(claims, name);
  return value === undefined ? undefined : requireText(name, value);
}

/** A Unix time in seconds. */
export function requiredTime(claims: JsonObject, name: string): number {
  const value = member(claims, name);
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw claimInvalid(name, value, "an integer of at most 2^53-1");
  }
  return value;
}

export function claimInvalid(
  name: string,
  value: JsonValue | undefined,
  needed: string,
): TokenRefusedError {
  return new TokenRefusedError("CLAIM_INVALID", `${name} is ${quote(value)}, need ${needed}`);
}
