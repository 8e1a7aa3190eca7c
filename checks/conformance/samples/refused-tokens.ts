/** Tokens with one defect each, and the reason of the error. */
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { audience, type Issuer } from "../../testing/issuer.ts";
import { callers } from "./tenants.ts";

const subject = callers.reader;
const now = () => Math.floor(Date.now() / 1000);

/** A text that no answer may contain. */
export const marker = "echo-no-echo";

type Mint = (issuer: Issuer) => string;

export const refusedTokens: Record<string, [Mint, string]> = {
  "that is no JWT": [() => marker, "TOKEN_MALFORMED"],
  "with two parts": [(issuer) => cutLast(issuer.mint(subject)), "TOKEN_MALFORMED"],
  "over 8 KiB": [
    (issuer) => issuer.mint(subject, { [marker]: marker.repeat(700) }),
    "TOKEN_TOO_LARGE",
  ],
  "without a signature": [(issuer) => `${cutLast(issuer.mint(subject))}.`, "SIGNATURE_INVALID"],
  "with a changed payload": [withOtherOrganisation, "SIGNATURE_INVALID"],
  "signed by another key": [signedByAnotherKey, "SIGNATURE_INVALID"],
  "of algorithm none": [(issuer) => issuer.mint(subject, {}, { alg: "none" }), "ALGORITHM_REFUSED"],
  "of algorithm RS512": [
    (issuer) => issuer.mint(subject, {}, { alg: "RS512" }),
    "ALGORITHM_REFUSED",
  ],
  "of algorithm HS256 under a text of ours": [signedWithHmac, "ALGORITHM_REFUSED"],
  "of another type": [(issuer) => issuer.mint(subject, {}, { typ: marker }), "TOKEN_MALFORMED"],
  "of another issuer": [withClaims({ iss: `https://${marker}` }), "ISSUER_MISMATCH"],
  "of the issuer with a slash behind": [
    (issuer) => issuer.mint(subject, { iss: `${issuer.url}/` }),
    "ISSUER_MISMATCH",
  ],
  "for another audience": [withClaims({ aud: [marker] }), "AUDIENCE_MISMATCH"],
  "for an audience that begins alike": [
    withClaims({ aud: [`${audience}:x`] }),
    "AUDIENCE_MISMATCH",
  ],
  "for no audience": [withClaims({ aud: [] }), "AUDIENCE_MISMATCH"],
  "for several in one text": [withClaims({ aud: `${audience} ${marker}` }), "AUDIENCE_MISMATCH"],
  "that expired": [(issuer) => issuer.mint(subject, { exp: now() - 1 }), "TOKEN_EXPIRED"],
  "that expires now": [(issuer) => issuer.mint(subject, { exp: now() }), "TOKEN_EXPIRED"],
  "that is not valid yet": [
    (issuer) => issuer.mint(subject, { nbf: now() + 100 }),
    "TOKEN_NOT_YET_VALID",
  ],
  "issued in the future": [
    (issuer) => issuer.mint(subject, { iat: now() + 100 }),
    "TOKEN_NOT_YET_VALID",
  ],
  ...Object.fromEntries(
    ["sub", "jti", "client_id", "scope", "exp", "nbf", "iat", "aud", "iss"].map((claim) => [
      `without ${claim}`,
      [withClaims({ [claim]: undefined }), "CLAIM_INVALID"],
    ]),
  ),
  "with an expiry in quotes": [withClaims({ exp: "9999999999" }), "CLAIM_INVALID"],
  "with a fraction for an expiry": [withClaims({ exp: 9999999999.5 }), "CLAIM_INVALID"],
  "with a list of scopes": [withClaims({ scope: ["upl:bucket:read"] }), "CLAIM_INVALID"],
  "with an organisation that is a number": [
    withClaims({ "urn:svc:auth:organisation_id": 7 }),
    "CLAIM_INVALID",
  ],
  "with details that are no list": [
    withClaims({ authorization_details: { type: "bucket" } }),
    "CLAIM_INVALID",
  ],
  "with actors five deep": [
    withClaims({
      act: { sub: "1", act: { sub: "2", act: { sub: "3", act: { sub: "4", act: { sub: "5" } } } } },
    }),
    "CLAIM_INVALID",
  ],
};

function withClaims(claims: object): Mint {
  return (issuer) => issuer.mint(subject, claims);
}

function cutLast(token: string): string {
  return token.slice(0, token.lastIndexOf("."));
}

function withOtherOrganisation(issuer: Issuer): string {
  const [header, payload = "", signature] = issuer.mint(subject).split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
  const changed = JSON.stringify({ ...claims, "urn:svc:auth:organisation_id": marker });
  return [header, Buffer.from(changed).toString("base64url"), signature].join(".");
}

function signedByAnotherKey(issuer: Issuer): string {
  const signed = cutLast(issuer.mint(subject));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
}

function signedWithHmac(issuer: Issuer): string {
  const signed = cutLast(issuer.mint(subject, {}, { alg: "HS256" }));
  return `${signed}.${createHmac("sha256", "secret").update(signed).digest("base64url")}`;
}
