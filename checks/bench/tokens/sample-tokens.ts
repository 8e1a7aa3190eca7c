/** An issuer with one key, the tokens that it issues, and tokens that must be refused. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";

export const issuer = "https://auth.example.com";
export const audience = "urn:svc:uploads";

export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly publicKeyPem: string;
  /** The public half as an issuer publishes it. */
  readonly jwk: { kty: "RSA"; kid: string; use: "sig"; alg: "RS256"; n: string; e: string };
}

export function makeSigningKey(): SigningKey {
  // By way of PEM: exporting a freshly made key object as a JWK can hang.
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const { n = "", e = "" } = createPublicKey(publicKey).export({ format: "jwk" });
  const keyId = randomUUID();
  return {
    keyId,
    privateKey: createPrivateKey(privateKey),
    publicKeyPem: publicKey,
    jwk: { kty: "RSA", kid: keyId, use: "sig", alg: "RS256", n, e },
  };
}

interface TokenChanges {
  /** `undefined` leaves a claim out. */
  readonly claims?: object;
  readonly header?: object;
}

/** A good token, but for the changes. No two are alike. */
export function issueToken(key: SigningKey, changes: TokenChanges = {}): string {
  const header = { alg: "RS256", kid: key.keyId, typ: "JWT", ...changes.header };
  const signed = `${encode(header)}.${encode({ ...everyClaim(), ...changes.claims })}`;
  const signature = sign("sha256", Buffer.from(signed), key.privateKey);
  return `${signed}.${signature.toString("base64url")}`;
}

/** Every claim that an access token can have, the optional ones too. */
function everyClaim() {
  const now = Math.floor(Date.now() / 1000);
  const clientId = randomUUID();
  return {
    iss: issuer,
    sub: `urn:svc:user:${randomUUID()}`,
    aud: [audience, issuer],
    exp: now + 24 * 3600,
    nbf: now,
    iat: now,
    jti: randomUUID(),
    scope: "openid upl:bucket:read upl:bucket:write",
    client_id: clientId,
    azp: clientId,
    "urn:svc:auth:organisation_id": randomUUID(),
    "urn:svc:auth:application_id": "photo-archive",
    "urn:svc:auth:authorisation_id": randomUUID(),
    authorization_details: [
      {
        type: "bucket",
        identifier: randomUUID(),
        actions: ["read"],
        locations: ["/photos/2025", "/photos/2026"],
      },
    ],
    act: { sub: `urn:svc:serviceaccount:${randomUUID()}` },
    sid: randomUUID(),
  };
}

/** A token under a key that nobody has: it asks the key set before anything of it is verified. */
export function withUnknownKey(token: string): string {
  const afterHeader = token.slice(token.indexOf("."));
  return `${encode({ alg: "RS256", kid: randomUUID(), typ: "JWT" })}${afterHeader}`;
}

export interface BadToken {
  readonly token: string;
  /** Completes `it accepts a token …`. */
  readonly fault: string;
  readonly signatureVerifies: boolean;
}

export function issueBadTokens(key: SigningKey): readonly BadToken[] {
  const now = Math.floor(Date.now() / 1000);
  const [header, payload, signature] = issueToken(key).split(".");
  const otherPayload = issueToken(key).split(".")[1];
  const otherKey = { ...makeSigningKey(), keyId: key.keyId };
  const badlySigned = [
    ["with other claims", `${header}.${otherPayload}.${signature}`],
    ["signed with another key", issueToken(otherKey)],
    ["without a signature", `${header}.${payload}.`],
  ] as const;
  const wellSigned: [fault: string, changes: TokenChanges][] = [
    ["of another issuer", { claims: { iss: "https://auth.example.org" } }],
    ["without an issuer", { claims: { iss: undefined } }],
    ["for another audience", { claims: { aud: ["urn:svc:billing"] } }],
    ["without an audience", { claims: { aud: undefined } }],
    ["that has expired", { claims: { exp: now - 1 } }],
    ["that never expires", { claims: { exp: undefined } }],
    ["that is not valid yet", { claims: { nbf: now + 3600 } }],
    ["of another type", { header: { typ: "logout+jwt" } }],
  ];
  return [
    ...badlySigned.map(([fault, token]) => ({ fault, token, signatureVerifies: false })),
    ...wellSigned.map(([fault, changes]) => {
      return { fault, token: issueToken(key, changes), signatureVerifies: true };
    }),
  ];
}

function encode(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}
