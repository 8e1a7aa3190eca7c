import type { KeyObject } from "node:crypto";
import type { JsonValue } from "./parse-json.ts";

/**
 * What a valid token says. Every object in it is frozen, so no holder can change it for another.
 * Times are Unix times in seconds.
 */
export interface AccessToken {
  /** `sub`: stable URN of the user or service account; the only identifier to keep. */
  readonly subject: string;
  /** Told by the scope `service_account`; the form of the subject decides nothing. */
  readonly subjectKind: "user" | "service_account";
  /** `urn:svc:auth:organisation_id`: the tenant. Without one the token belongs to none. */
  readonly organisationId: string | undefined;
  /** `urn:svc:auth:application_id`. */
  readonly applicationId: string | undefined;
  /** `urn:svc:auth:authorisation_id`: the issuer's record, for audit logs. */
  readonly authorisationId: string | undefined;
  /** `client_id`: the OAuth client that requested the token. */
  readonly clientId: string;
  /** `azp`: the client that the token was issued to. */
  readonly authorizedParty: string | undefined;
  readonly scopes: ReadonlySet<string>;
  readonly audience: readonly string[];
  readonly issuedAt: number;
  readonly notBefore: number;
  readonly expiresAt: number;
  /** `jti`: unique for each token. */
  readonly tokenId: string;
  /** RFC 9396. Absent is not empty: without the claim, it limits nothing. */
  readonly authorizationDetails: readonly AuthorizationDetail[] | undefined;
  /** RFC 8693 `act`, outermost first. Only the first is the current actor; the rest is history. */
  readonly actors: readonly Actor[];
  /** `sid`: the session, for OIDC Back-Channel Logout. */
  readonly sessionId: string | undefined;
}

export interface AuthorizationDetail {
  readonly type: string;
  readonly [name: string]: JsonValue;
}

export interface Actor {
  readonly subject: string;
}

/** A token whose signature and claims are right; whether it is in time and not revoked is open. */
export interface VerifiedToken {
  readonly token: AccessToken;
  readonly keyId: string;
  readonly key: KeyObject;
}
