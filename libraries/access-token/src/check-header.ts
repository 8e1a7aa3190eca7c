/**
 * Second step: the header says RS256 and names a key, and nothing that we would have to understand.
 * The algorithm is compared, never looked up, so a header cannot choose how it is verified.
 * `b64`, `jwk`, `jku`, `x5u` and `x5c` are ignored: keys come from the key set alone.
 */
import { keyIdBytesMax } from "./limits.ts";
import { type JsonObject, member } from "./parse-json.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

/** Gives the key ID. Throws TokenRefusedError: ALGORITHM_REFUSED, TOKEN_MALFORMED. */
export function checkHeader(unverifiedHeader: JsonObject): string {
  const algorithm = member(unverifiedHeader, "alg");
  if (algorithm !== "RS256") {
    throw new TokenRefusedError("ALGORITHM_REFUSED", `unverified alg is ${quote(algorithm)}`);
  }
  const type = member(unverifiedHeader, "typ");
  if (type !== "JWT") throw malformed(`unverified typ is ${quote(type)}, need "JWT"`);
  // RFC 7515 section 4.1.11: extensions listed here must be understood, and we know none.
  if (Object.hasOwn(unverifiedHeader, "crit")) throw malformed("the header has crit");
  const keyId = member(unverifiedHeader, "kid");
  if (!isKeyId(keyId)) {
    throw malformed(`unverified kid is ${quote(keyId)}, need 1 to ${keyIdBytesMax} bytes of text`);
  }
  return keyId;
}

/** Tokens and key sets must agree on what can be a key ID at all. */
export function isKeyId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= keyIdBytesMax
  );
}

function malformed(detail: string): TokenRefusedError {
  return new TokenRefusedError("TOKEN_MALFORMED", detail);
}
