/**
 * Parses a token: the compact serialisation (RFC 7515 section 7.1), its header and its payload.
 * Names say what is not verified yet. The payload is parsed only after the signature.
 */
import { keyIdBytesMax, tokenBytesMax } from "./limits.ts";
import { type JsonObject, member, parseJsonObject } from "./parse-json.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

export interface UnverifiedToken {
  /** As received, in base64url. */
  readonly unverifiedHeader: string;
  readonly unverifiedPayload: Buffer;
  /** The signed text: the first two parts as received, and the dot between them. */
  readonly unverifiedText: string;
  readonly unverifiedSignature: Buffer;
}

/**
 * Checks size and shape, and parses no JSON. Throws TokenRefusedError: TOKEN_TOO_LARGE,
 * TOKEN_MALFORMED.
 */
export function parseToken(token: string): UnverifiedToken {
  // A caller in plain JavaScript may pass any value.
  if (typeof token !== "string") throw malformed("the token is not a string");
  // Characters are bytes here: a token with a character outside ASCII is malformed.
  if (token.length > tokenBytesMax) {
    throw new TokenRefusedError("TOKEN_TOO_LARGE", `the token has ${token.length} characters`);
  }
  const headerEnd = token.indexOf(".");
  const payloadEnd = token.indexOf(".", headerEnd + 1);
  if (headerEnd === -1 || payloadEnd === -1 || token.includes(".", payloadEnd + 1)) {
    throw malformed("the token does not have three parts");
  }
  return {
    unverifiedHeader: token.slice(0, headerEnd),
    unverifiedPayload: decode("payload", token.slice(headerEnd + 1, payloadEnd)),
    unverifiedText: token.slice(0, payloadEnd),
    unverifiedSignature: decode("signature", token.slice(payloadEnd + 1)),
  };
}

/**
 * Checks that the header names RS256 and a key, and has no extension that must be understood. The
 * algorithm is compared and never looked up, so a header cannot choose how the token is verified.
 * `b64`, `jwk`, `jku`, `x5u` and `x5c` are ignored: keys come only from the key set.
 *
 * Returns the key ID. Throws TokenRefusedError: ALGORITHM_REFUSED, TOKEN_MALFORMED.
 */
export function checkHeader(unverifiedHeader: string): string {
  const header = parseObject("header", decode("header", unverifiedHeader));
  const algorithm = member(header, "alg");
  if (algorithm !== "RS256") {
    throw new TokenRefusedError("ALGORITHM_REFUSED", `unverified alg is ${quote(algorithm)}`);
  }
  const type = member(header, "typ");
  if (type !== "JWT") throw malformed(`unverified typ is ${quote(type)}, need "JWT"`);
  // RFC 7515 section 4.1.11: extensions listed in `crit` must be understood. We know none.
  if (Object.hasOwn(header, "crit")) throw malformed("the header has crit");
  const keyId = member(header, "kid");
  if (!isKeyId(keyId)) {
    throw malformed(`unverified kid is ${quote(keyId)}, need 1 to ${keyIdBytesMax} bytes of text`);
  }
  return keyId;
}

/** Whether a value can be a key ID, in a token or in a key set. */
export function isKeyId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= keyIdBytesMax
  );
}

/** The claims of a verified token. Throws TokenRefusedError: TOKEN_MALFORMED. */
export function parsePayload(verifiedPayload: Buffer): JsonObject {
  return parseObject("payload", verifiedPayload);
}

function decode(part: string, text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  // Buffer.from skips invalid characters. Only the canonical text encodes back to itself: without
  // padding, white space, `+` and `/`, and with zeros in the unused bits of the last character.
  if (bytes.toString("base64url") !== text) throw malformed(`the ${part} is not base64url`);
  return bytes;
}

function parseObject(part: string, bytes: Buffer): JsonObject {
  try {
    return parseJsonObject(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw malformed(`the ${part} is ${error.message}`);
  }
}

function malformed(detail: string): TokenRefusedError {
  return new TokenRefusedError("TOKEN_MALFORMED", detail);
}
