import type { KeyObject } from "node:crypto";
import type { JsonValue } from "./parse-json.ts";

/**
 * The contents of a valid token. All objects in it are frozen, since the cache shares them.
 * Times are Unix times in seconds.
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
  /** RFC 9396. Undefined if the token lacks it: unlike an empty list, that limits nothing. */
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

/** A token with a valid signature and valid claims. Times and revocation are not checked yet. */
export interface VerifiedToken {
  readonly token: AccessToken;
  readonly keyId: string;
  readonly key: KeyObject;
}
