/** The tokens that an issuer issues, and tokens that must be refused. */
import { randomUUID } from "node:crypto";
import { audience, type SigningKey, signToken } from "../../testing/issuer.ts";

export const issuer = "https://auth.example.com";

interface TokenChanges {
  /** `undefined` leaves a claim out. */
  readonly claims?: object;
  readonly header?: object;
}

/** A good token, but for the changes. No two are alike. */
export function issueToken(key: SigningKey, { claims, header }: TokenChanges = {}): string {
  return signToken(key, { ...everyClaim(), ...claims }, header);
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

/** Well signed, but to be refused. */
export function issueBadTokens(key: SigningKey): readonly string[] {
  const now = Math.floor(Date.now() / 1000);
  const changes: readonly TokenChanges[] = [
    { claims: { iss: "https://auth.example.org" } },
    { claims: { iss: undefined } },
    { claims: { aud: ["urn:svc:billing"] } },
    { claims: { aud: undefined } },
    { claims: { exp: now - 1 } },
    { claims: { exp: undefined } },
    { claims: { nbf: now + 3600 } },
    { header: { typ: "logout+jwt" } },
  ];
  return changes.map((each) => issueToken(key, each));
}
