/** One issuer, one audience, one moment and one key, and tokens made for them. */
import { sign } from "node:crypto";
import { SignJWT } from "jose";
import { staticKeySet } from "../src/key-set/key-set.ts";
import { type AccessTokenValidatorOptions, createAccessTokenValidator } from "../src/validator.ts";
import { makeSigningKey, type SigningKey } from "./signing-key.ts";

export const issuer = "https://auth.example.com";
export const audience = "uploads";
export const nowSeconds = 1_767_225_600;
export const signingKey = makeSigningKey("key-1");

export const validator = makeValidator();

/** The same, with the given changes. */
export function makeValidator(changes: Partial<AccessTokenValidatorOptions> = {}) {
  const keySet = staticKeySet({ keys: [signingKey.jwk] });
  const now = () => nowSeconds * 1000;
  return createAccessTokenValidator({ issuer, audience, keySet, now, ...changes });
}

/** The required claims and nothing else. */
export const claims = {
  iss: issuer,
  sub: "urn:svc:user:7",
  aud: [audience],
  exp: nowSeconds + 3600,
  nbf: nowSeconds,
  iat: nowSeconds,
  jti: "0b9a3c52-6f0b-4f7e-9d3e-1f4f7c8f6a11",
  scope: "upl:bucket:read",
  client_id: "3d6f0a56-33a5-4f0c-8f0e-0d3f3f1c9b77",
};

export type Claims = Record<string, unknown>;

/** Signed by an implementation that has nothing to do with ours. `undefined` leaves a claim out. */
export function signToken(changes: Claims = {}, key: SigningKey = signingKey): Promise<string> {
  return new SignJWT({ ...claims, ...changes })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: key.keyId })
    .sign(key.privateKey);
}

export const header = { alg: "RS256", kid: signingKey.keyId, typ: "JWT" };

/** Signs whatever it is given, as no honest issuer would. */
export function forge(parts: {
  header?: object | string | Buffer;
  payload?: object | string | Buffer;
  key?: SigningKey;
}): string {
  const text = `${encode(parts.header ?? header)}.${encode(parts.payload ?? claims)}`;
  const { privateKey } = parts.key ?? signingKey;
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

export function encode(part: object | string | Buffer): string {
  if (Buffer.isBuffer(part)) return part.toString("base64url");
  const text = typeof part === "string" ? part : JSON.stringify(part);
  return Buffer.from(text).toString("base64url");
}
