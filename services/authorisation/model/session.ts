/**
 * Sessions, as oidc-provider and the store exchange them. Beside its ID, which the browser shows in
 * a cookie and of which only the hash is stored, a session has names that give no access to it:
 *
 * - `sessionUid`: we find the session by it.
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
  /** Its `sid` before the person signed out of this client only. */
  endedSid?: string;
  grantId?: string;
  /** The client has offline access, which outlives the session. */
  persistsLogout?: boolean;
}

/**
 * The `sid` of a client in a session. Requests that need it at once get the same one. After the
 * person has signed out of the client only, it is another.
 */
export function sidOf(
  sessionUid: string,
  clientId: string,
  { sid, endedSid = "" }: { sid?: string | undefined; endedSid?: string },
): string {
  return sid ?? hash("sha256", `sid ${sessionUid} ${clientId} ${endedSid}`, "base64url");
}

/** The ID of the grant of a session to a client. In hexadecimal, none looks like an option. */
export function grantIdOf(sessionUid: string, clientId: string): string {
  return hash("sha256", `grant ${sessionUid} ${clientId}`, "hex");
}
