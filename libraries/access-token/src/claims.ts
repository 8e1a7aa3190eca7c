/**
 * The claims of a token whose signature is verified (RFC 7519 section 4). Checks first the issuer
 * and the audience, then the types of all other claims. A token with a claim of a wrong type, such
 * as `null`, is refused.
 */
import type { AccessToken, Actor, AuthorizationDetail } from "./access-token.ts";
import { actorsMax } from "./limits.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "./parse-json.ts";
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

/** RFC 7519 section 4.1.3: an array, or one string. */
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
  // Consecutive spaces enclose an empty element, which grants nothing.
  return new ScopeSet(
    requiredText(claims, "scope")
      .split(" ")
      .filter((scope) => scope !== ""),
  );
}

/** The nested `act` claim of token exchange (RFC 8693 section 4.1) as a list, outermost first. */
function readActors(claims: JsonObject): readonly Actor[] {
  const actors: Actor[] = [];
  for (let holder = claims; Object.hasOwn(holder, "act"); ) {
    const act = member(holder, "act");
    if (!isJsonObject(act)) throw claimInvalid("act", act, "an object");
    if (actors.length === actorsMax) {
      throw claimInvalid("act", member(claims, "act"), `at most ${actorsMax} actors`);
    }
    actors.push(Object.freeze({ subject: requiredText(act, "sub") }));
    holder = act;
  }
  return Object.freeze(actors);
}

/** The `authorization_details` claim (RFC 9396 section 9.1). */
function readAuthorizationDetails(claims: JsonObject): readonly AuthorizationDetail[] | undefined {
  if (!Object.hasOwn(claims, "authorization_details")) return undefined;
  const details = member(claims, "authorization_details");
  if (!Array.isArray(details)) throw claimInvalid("authorization_details", details, "an array");
  for (const detail of details) {
    if (!isJsonObject(detail)) throw claimInvalid("authorization_details", details, "objects");
    requiredText(detail, "type");
  }
  freezeDeep(details);
  return details;
}

/** The recursion is bounded by the depth of parsed JSON. */
function freezeDeep(value: JsonValue): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) freezeDeep(inner);
  Object.freeze(value);
}

function requiredText(claims: JsonObject, name: string): string {
  return requireText(name, member(claims, name));
}

function requireText(name: string, value: JsonValue | undefined): string {
  // A lone surrogate has no UTF-8 form: stored as UTF-8, two different subjects could be equal.
  if (typeof value !== "string" || value === "" || !value.isWellFormed()) {
    throw claimInvalid(name, value, "a non-empty string");
  }
  return value;
}

function optionalText(claims: JsonObject, name: string): string | undefined {
  const value = member(claims, name);
  return value === undefined ? undefined : requireText(name, value);
}

/** A Unix time in seconds. */
function requiredTime(claims: JsonObject, name: string): number {
  const value = member(claims, name);
  if (typeof value !== "number" || !Number.isSafeInteger(value)) {
    throw claimInvalid(name, value, "an integer of at most 2^53-1");
  }
  return value;
}

function claimInvalid(
  name: string,
  value: JsonValue | undefined,
  needed: string,
): TokenRefusedError {
  return new TokenRefusedError("CLAIM_INVALID", `${name} is ${quote(value)}, need ${needed}`);
}
