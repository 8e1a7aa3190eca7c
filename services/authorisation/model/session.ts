/**
 * Sessions, as oidc-provider and the store exchange them. A session has three kinds of IDs:
 *
 * - `cookieId`: the browser shows it in a cookie. It changes, and only its hash is stored.
 * - `sessionUid`: we find the session by it. It never changes, and gives no access to the session.
 * - `sid`: a client knows the session by it, as a claim of its tokens. Each client has another one.
 */
import { hash } from "node:crypto";

/** The beginning of the `acr` of sessions that began at another provider. */
const providerPrefix = "urn:stowage:provider:";

/**
 * The `acr` of a session that began at another provider, in its session `sid` there, as a hash. The
 * codes and refresh tokens of a session have its `acr` too.
 */
export function providerAcr(sid = ""): string {
  return providerPrefix + (sid && hash("sha256", sid, "base64url"));
}

/** Whether a session, a code or a refresh token began at another provider. */
export function isOfProvider({ acr }: { acr?: string | undefined }): boolean {
  return acr?.startsWith(providerPrefix) === true;
}

/** The members of oidc-provider's sessions that matter here. */
export interface SessionPayload {
  /** The `sessionUid`. */
  uid?: string;
  accountId?: string;
  loginTs?: number;
  iat?: number;
  exp?: number;
  /** What the person is asked, such as whether to sign out. */
  state?: object;
  /** By the ID of the client. */
  authorizations?: Record<string, SessionPart>;
}

/** A client's part of a session. */
export interface SessionPart {
  sid?: string;
  grantId?: string;
  /** The client has offline access, which outlives the session. */
  persistsLogout?: boolean;
}

/** A session to store. */
export interface SessionRecord {
  cookieId: string;
  /** The one that the request came with; undefined: the session is new. */
  cookieIdBefore: string | undefined;
  payload: SessionPayload;
  /** The parts as the request has read them. */
  partsRead: Readonly<Record<string, SessionPart>>;
  isStateChanged: boolean;
  /** Seconds from now. */
  expiresInSeconds: number;
}
