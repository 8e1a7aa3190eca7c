/** The header and the claims of access tokens: exactly these, for every grant. */
import { randomUUID } from "node:crypto";
import type { Actor } from "@stowage/access-token";
import type {
  AccessToken,
  ClientCredentials,
  JWTStructured,
  KoaContextWithOIDC,
} from "oidc-provider";
import { errors } from "../overrides/library.ts";
import type { Authorisation, NewAuthorisation } from "../store/authorisations.ts";

/** Resource servers refuse tokens over 8 KiB, in base64. Header and signature take 0.5 KiB. */
const payloadBytesMax = 5_600;

/** Claims of some tokens, beside those from its authorisation. */
export interface ExtraClaims {
  /** Who delegated (RFC 8693 section 4.1), the last one first. */
  actors?: readonly Actor[];
  /** The session in which the user consented. */
  sid?: string | undefined;
  /** Whether the issuer is in the audience too. */
  isForIssuerToo?: boolean;
  /** Unix time in seconds: the token expires then at the latest. */
  expiresAtMax?: number;
}

/** What the next token of each request is for. */
const attached = new WeakMap<KoaContextWithOIDC, [Authorisation, ExtraClaims]>();

/** Sets what the next token of this request is for. */
export function attachAuthorisation(
  ctx: KoaContextWithOIDC,
  authorisation: Authorisation,
  extraClaims: ExtraClaims = {},
): void {
  attached.set(ctx, [authorisation, extraClaims]);
}

/**
 * Replaces the header and the claims that oidc-provider made (RFC 9068). It adds alg and kid.
 *
 * @throws errors.InvalidRequest if the token would be too long
 */
export function setAccessTokenClaims(
  ctx: KoaContextWithOIDC,
  _token: AccessToken | ClientCredentials,
  parts: JWTStructured,
): void {
  const found = attached.get(ctx);
  if (found === undefined) throw new Error("Cannot issue a token: no grant is on record");
  const claims = claimsOf(...found, parts.payload);
  requireShortClaims(claims);
  parts.header = { typ: "JWT" };
  parts.payload = claims;
}

/**
 * Checks the length of a token that is planned.
 *
 * @throws errors.InvalidRequest if the token would be too long
 */
export function requireShortToken(
  planned: NewAuthorisation,
  extraClaims: ExtraClaims,
  issuer: string,
): void {
  // In every token, the IDs and the times have these lengths.
  const ids = { authorisationId: randomUUID(), tokenId: randomUUID() };
  const now = Math.floor(Date.now() / 1000);
  const times = { iat: now, exp: now };
  requireShortClaims(claimsOf({ ...planned, ...ids }, extraClaims, { iss: issuer, ...times }));
}

function requireShortClaims(claims: object): void {
  if (Buffer.byteLength(JSON.stringify(claims)) <= payloadBytesMax) return;
  throw new errors.InvalidRequest("the token would be too long; need fewer scopes or details");
}

function claimsOf(
  authorisation: Authorisation,
  { actors = [], sid, isForIssuerToo, expiresAtMax }: ExtraClaims,
  { iss, iat, exp }: JWTStructured["payload"],
): JWTStructured["payload"] {
  const act = actClaimOf(actors);
  return {
    iss,
    sub: authorisation.subject,
    aud: [authorisation.audience, ...(isForIssuerToo ? [iss] : [])],
    exp: Math.min(Number(exp), expiresAtMax ?? Number.POSITIVE_INFINITY),
    nbf: iat,
    iat,
    jti: authorisation.tokenId,
    scope: authorisation.scopes.join(" "),
    client_id: authorisation.clientId,
    azp: authorisation.clientId,
    "urn:svc:auth:organisation_id": authorisation.organisationId,
    "urn:svc:auth:application_id": authorisation.applicationId,
    "urn:svc:auth:authorisation_id": authorisation.authorisationId,
    ...(authorisation.authorizationDetails && {
      authorization_details: authorisation.authorizationDetails,
    }),
    ...(act && { act }),
    ...(sid !== undefined && { sid }),
  };
}

/** The claim `act` (RFC 8693 section 4.1): an actor, and inside it the one before. */
interface ActClaim {
  sub: string;
  act?: ActClaim;
}

/** The claim for a chain of actors, the last one first; undefined for none. */
export function actClaimOf(actors: readonly Actor[]): ActClaim | undefined {
  return actors.reduceRight<ActClaim | undefined>(
    (act, { subject }) => ({ sub: subject, ...(act && { act }) }),
    undefined,
  );
}
