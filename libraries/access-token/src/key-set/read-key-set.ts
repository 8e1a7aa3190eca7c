/**
 * Reads the usable keys of a JSON Web Key Set (RFC 7517). Keys for other uses are skipped, and so
 * are two different keys with one ID. A set that is too large or has no usable key is refused.
 */
import { createPublicKey, type KeyObject } from "node:crypto";
import { keySetKeysMax, modulusCharactersMax, publicExponentCharactersMax } from "../limits.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "../parse-json.ts";
import { isKeyId } from "../parse-token.ts";
import { isUsableKey } from "../verify-signature.ts";

/** Throws an Error with the reason of the refusal. */
export function readKeySet(keySet: JsonValue): ReadonlyMap<string, KeyObject> {
  const keys = isJsonObject(keySet) ? member(keySet, "keys") : undefined;
  if (!Array.isArray(keys)) throw new Error("the key set has no array `keys`");
  if (keys.length > keySetKeysMax) {
    throw new Error(`the key set has ${keys.length} keys, need at most ${keySetKeysMax}`);
  }
  const usable = new Map<string, KeyObject>();
  const ambiguous = new Set<string>();
  for (const jwk of keys) {
    const entry = isJsonObject(jwk) ? readKey(jwk) : undefined;
    if (entry === undefined) continue;
    const other = usable.get(entry.keyId);
    if (other?.equals(entry.key) === false) ambiguous.add(entry.keyId);
    usable.set(entry.keyId, entry.key);
  }
  for (const keyId of ambiguous) usable.delete(keyId);
  if (usable.size === 0) throw new Error("the key set has no usable key");
  return usable;
}

function readKey(jwk: JsonObject): { keyId: string; key: KeyObject } | undefined {
  const keyId = member(jwk, "kid");
  if (!isKeyId(keyId) || !isForRs256(jwk)) return undefined;
  const key = importKey(member(jwk, "n"), member(jwk, "e"));
  return key !== undefined && isUsableKey(key) ? { keyId, key } : undefined;
}

/** RFC 7517 sections 4.1 to 4.4: an absent member does not restrict the use. */
function isForRs256(jwk: JsonObject): boolean {
  const own: Partial<JsonObject> = { __proto__: null, ...jwk };
  const { kty, use = "sig", key_ops: operations = ["verify"], alg = "RS256" } = own;
  return (
    kty === "RSA" &&
    use === "sig" &&
    alg === "RS256" &&
    Array.isArray(operations) &&
    operations.includes("verify")
  );
}

function importKey(n: JsonValue | undefined, e: JsonValue | undefined): KeyObject | undefined {
  if (typeof n !== "string" || n.length > modulusCharactersMax) return undefined;
  if (typeof e !== "string" || e.length > publicExponentCharactersMax) return undefined;
  try {
    // Only the public members: private ones, published by mistake, are not imported.
    return createPublicKey({ format: "jwk", key: { kty: "RSA", n, e } });
  } catch {
    // Not a key at all. It is skipped like any other unusable key.
    return undefined;
  }
}
