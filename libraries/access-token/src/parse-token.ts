/**
 * First step: size and shape of the compact serialisation (RFC 7515 section 7.1). Nothing here
 * trusts anything, and of the JSON inside only the header is read.
 */
import { tokenBytesMax } from "./limits.ts";
import { type JsonObject, parseJsonObject } from "./parse-json.ts";
import { TokenRefusedError } from "./token-refused-error.ts";

export interface UnverifiedToken {
  /** As it came, in base64url. */
  readonly unverifiedHeader: string;
  readonly unverifiedPayload: Buffer;
  /** What the signature is over: the first two parts as they came, and the dot between. */
  readonly unverifiedText: string;
  readonly unverifiedSignature: Buffer;
}

/** Throws TokenRefusedError: TOKEN_TOO_LARGE, TOKEN_MALFORMED. */
export function parseToken(token: string): UnverifiedToken {
  // A caller in plain JavaScript may hand over anything.
  if (typeof token !== "string") throw malformed("the token is not a string");
  // Characters are bytes here: a token with any character outside ASCII is malformed.
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

/** The members of an unverified header. Throws TokenRefusedError: TOKEN_MALFORMED. */
export function parseHeader(unverifiedHeader: string): JsonObject {
  return parseObject("header", decode("header", unverifiedHeader));
}

/** The claims of a token that has verified. Throws TokenRefusedError: TOKEN_MALFORMED. */
export function parsePayload(verifiedPayload: Buffer): JsonObject {
  return parseObject("payload", verifiedPayload);
}

function decode(part: string, text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  // Buffer.from skips what it does not know. Only the canonical text encodes back to itself: no
  // padding, no white space, no `+` and `/`, and the unused bits of the last character zero.
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
