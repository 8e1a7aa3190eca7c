/**
 * The validators that are measured. Each is set up as its documentation says, to check what ours
 * checks: the algorithm, `typ`, the issuer, the audience and the times.
 */
import { createPublicKey, verify } from "node:crypto";
import { createAccessTokenValidator, staticKeySet } from "@stowage/access-token";
import { JwtVerifier } from "aws-jwt-verify";
import { createVerifier } from "fast-jwt";
import { createLocalJWKSet, jwtVerify } from "jose";
import { audience, type SigningKey } from "../../testing/issuer.ts";
import { issuer } from "./sample-tokens.ts";

/** Validates the token at this place of the workload. Throws or rejects when it is refused. */
export type Call = (index: number) => unknown;

export interface Subject {
  readonly name: string;
  readonly prepare: (workload: Workload) => Call | Promise<Call>;
  /** Checks nothing but the signature. */
  readonly signatureOnly?: true;
}

/** As many as our cache holds by default, and ten times more than the workload has. */
const cacheEntries = 10_000;

export function subjectsFor(key: SigningKey) {
  const fastJwt = fastJwtOptions(key);
  return {
    /** The baseline. */
    verify: {
      name: "crypto.verify alone",
      signatureOnly: true,
      prepare: (workload: Workload) => verifyAlone(key, workload),
    },
    ours: validator("stowage", () => stowage(key, false)),
    oursCached: validator("stowage, cache", () => stowage(key, {})),
    jose: validator("jose", () => withJose(key)),
    fastJwt: validator("fast-jwt", () => createVerifier(fastJwt)),
    fastJwtCached: validator("fast-jwt, cache", () =>
      createVerifier({ ...fastJwt, cache: cacheEntries }),
    ),
    awsJwtVerify: validator("aws-jwt-verify", () => awsJwtVerify(key)),
  } satisfies Record<string, Subject>;
}

/** In which form tokens come to a validator. */
export interface Workload {
  readonly name: string;
  readonly tokens: readonly string[];
  /** The token at this place; they go round. */
  readonly take: (index: number) => string;
}

type Validate = (token: string) => unknown;

function validator(name: string, make: () => Validate | Promise<Validate>): Subject {
  return {
    name,
    async prepare({ take }) {
      const validate = await make();
      return (index) => validate(take(index));
    },
  };
}

/** What no validator can leave out, on bytes that are ready for it. */
function verifyAlone(key: SigningKey, { tokens }: Workload): Call {
  const publicKey = createPublicKey(key.privateKey);
  const ready = tokens.map((token) => {
    const signatureStart = token.lastIndexOf(".") + 1;
    return {
      signed: Buffer.from(token.slice(0, signatureStart - 1), "latin1"),
      signature: Buffer.from(token.slice(signatureStart), "base64url"),
    };
  });
  return (index) => {
    const { signed, signature } = ready[index % ready.length]!;
    if (!verify("sha256", signed, publicKey, signature)) throw new Error("does not verify");
  };
}

function stowage({ jwk }: SigningKey, cache: object | false): Validate {
  const keySet = staticKeySet({ keys: [jwk] });
  const validator = createAccessTokenValidator({ issuer, audience, keySet, cache });
  return (token) => validator.validate(token);
}

/** It finds the key by its ID, as ours does. Given the one key, it is as fast. */
function withJose({ jwk }: SigningKey): Validate {
  const keySet = createLocalJWKSet({ keys: [jwk] });
  const options = {
    algorithms: ["RS256"],
    typ: "JWT",
    issuer,
    audience,
    requiredClaims: ["exp", "nbf", "iat"],
  };
  return (token) => jwtVerify(token, keySet, options);
}

/** Given its key, it finds none by ID, and is not asynchronous. */
function fastJwtOptions({ privateKey }: SigningKey) {
  return {
    key: createPublicKey(privateKey).export({ type: "spki", format: "pem" }),
    algorithms: ["RS256" as const],
    checkTyp: "JWT",
    allowedIss: issuer,
    allowedAud: audience,
    // It skips the check of a claim that is absent.
    requiredClaims: ["iss", "aud", "exp", "nbf", "iat"],
  };
}

function awsJwtVerify({ jwk }: SigningKey): Validate {
  const verifier = JwtVerifier.create({
    issuer,
    audience,
    jwksUri: `${issuer}/.well-known/jwks.json`,
    customJwtCheck({ header, payload }) {
      if (header.typ !== "JWT") throw new Error("another type");
      if (payload.exp === undefined) throw new Error("never expires");
    },
  });
  // The algorithm is checked against that of the key.
  verifier.cacheJwks({ keys: [jwk] });
  return (token) => verifier.verify(token);
}
