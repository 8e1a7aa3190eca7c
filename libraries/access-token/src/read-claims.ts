/**
 * Fifth step: the claims of a token whose signature has verified. First whether the token is from
 * our issuer and for us, then whether everything else in it has its type.
 */
import type { AccessToken } from "./access-token.ts";
import { readActors } from "./actors.ts";
import { readAuthorizationDetails } from "./authorization-details.ts";
import { claimInvalid, optionalText, requiredText, requiredTime } from "./claim.ts";
import { type JsonObject, member } from "./parse-json.ts";
import { ScopeSet } from "./scope-set.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

export interface ClaimsPolicy {
  readonly issuer: string;
  readonly audience: string;
}

/** Throws TokenRefusedError: ISSUER_MISMATCH, AUDIENCE_MISMATCH, CLAIM_INVALID. */
export function readClaims(claims: JsonObject, policy: ClaimsPolicy): AccessToken {
  checkIssuer(claims, policy.issuer);
  const audience = checkAudience(claims, policy.audience);
  const scopes = readScopes(claims);
  return Object.freeze({
    subject: requiredText(claims, "sub"),
    subjectKind: scopes.has("service_account") ? "service_account" : "user",
    organisationId: optionalText(claims, "urn:svc:auth:organisation_id"),
    applicationId: optionalText(claims, "urn:svc:auth:application_id"),
    authorisationId: optionalText(claims, "urn:svc:auth:authorisation_id"),
    clientId: requiredText(claims, "client_id"),
    authorizedParty: optionalText(claims, "azp"),
    scopes,
    audience,
    issuedAt: requiredTime(claims, "iat"),
    notBefore: requiredTime(claims, "nbf"),
    expiresAt: requiredTime(claims, "exp"),
    tokenId: requiredText(claims, "jti"),
    authorizationDetails: readAuthorizationDetails(claims),
    actors: readActors(claims),
    sessionId: optionalText(claims, "sid"),
  });
}

function checkIssuer(claims: JsonObject, issuer: string): void {
  const given = requiredText(claims, "iss");
  if (given === issuer) return;
  throw new TokenRefusedError("ISSUER_MISMATCH", `iss is ${quote(given)}, need ${quote(issuer)}`);
}

function checkAudience(claims: JsonObject, audience: string): readonly string[] {
  const given = readAudience(claims);
  if (given.includes(audience)) return Object.freeze(given);
  throw new TokenRefusedError(
    "AUDIENCE_MISMATCH",
    `aud is ${quote(given)}, need ${quote(audience)} in it`,
  );
}

/** RFC 7519 section 4.1.3: an array, or one string, which is compared whole. */
function readAudience(claims: JsonObject): string[] {
  const given = member(claims, "aud");
  if (!Array.isArray(given)) return [requiredText(claims, "aud")];
  for (const element of given) {
    if (typeof element !== "string" || element === "" || !element.isWellFormed()) {
      throw claimInvalid("aud", given, "non-empty strings");
    }
  }
  return given.slice();
}

function readScopes(claims: JsonObject): ReadonlySet<string> {
  // Two spaces in a row enclose an empty element, which grants nothing.
  return new ScopeSet(
    requiredText(claims, "scope")
      .split(" ")
      .filter((scope) => scope !== ""),
  );
}
