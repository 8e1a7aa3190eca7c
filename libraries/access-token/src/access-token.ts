import type { KeyObject } from "node:crypto";
import type { JsonValue } from "./parse-json.ts";

/**
 * The contents of a valid token. All objects in it are frozen, since the cache shares them. Texts
 * are not empty. Times are Unix times in whole seconds. Claims without another source are those of
 * RFC 7519 section 4.1.
 */
export interface AccessToken {
  /** `sub`: stable URN of the user or service account; the only identifier to keep. */
  readonly subject: string;
  /** `service_account` if the token has that scope. The form of the subject does not matter. */
  readonly subjectKind: "user" | "service_account";
  /** `urn:svc:auth:organisation_id`: the tenant; undefined if the token belongs to none. */
  readonly organisationId: string | undefined;
  /** `urn:svc:auth:application_id`. */
  readonly applicationId: string | undefined;
  /** `urn:svc:auth:authorisation_id`: the issuer's record, for audit logs. */
  readonly authorisationId: string | undefined;
  /** `client_id` (RFC 8693 section 4.3): the OAuth client that requested the token. */
  readonly clientId: string;
  /** `azp` (OpenID Connect Core section 2): the client that the token was issued to. */
  readonly authorizedParty: string | undefined;
  /** `scope` (RFC 8693 section 4.2). */
  readonly scopes: ReadonlySet<string>;
  /** `aud`: the resource servers that the token is for, this one among them. */
  readonly audience: readonly string[];
  /** `iat`. */
  readonly issuedAt: number;
  /** `nbf`: the token is valid from this time on. */
  readonly notBefore: number;
  /** `exp`: the token is valid before this time. */
  readonly expiresAt: number;
  /** `jti`: unique for each token. */
  readonly tokenId: string;
  /**
   * `authorization_details` (RFC 9396 section 9.1). Undefined if the token lacks the claim: unlike
   * an empty list, that limits nothing.
   */
  readonly authorizationDetails: readonly AuthorizationDetail[] | undefined;
  /**
   * `act` (RFC 8693 section 4.1): who acts for the subject, at most 4, outermost first. Only the
   * first is the current actor; the rest is history. Empty if the subject acts itself.
   */
  readonly actors: readonly Actor[];
  /** `sid`: the session (OpenID Connect Back-Channel Logout section 2.1). */
  readonly sessionId: string | undefined;
}

/** An entry of `authorization_details` (RFC 9396 section 2). Its type defines the other members. */
export interface AuthorizationDetail {
  readonly type: string;
  readonly [name: string]: JsonValue;
}

/** A party that acts, or has acted, for the subject. */
export interface Actor {
  /** `sub` of the nested `act` claim. */
  readonly subject: string;
}

/** A token with a valid signature and valid claims. Times and revocation are not checked yet. */
export interface VerifiedToken {
  readonly token: AccessToken;
  readonly keyId: string;
  readonly key: KeyObject;
}
