/** Sessions, as oidc-provider and the store exchange them. */

/** The members of oidc-provider's sessions that matter here. */
export interface SessionPayload {
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

/** A client's part of a session. The client knows the session by an ID of its own. */
export interface SessionPart {
  sid?: string;
  grantId?: string;
  /** The client has offline access, which outlives the session. */
  persistsLogout?: boolean;
}

/** A session to store. */
export interface SessionRecord {
  /** The ID in its cookie. */
  id: string;
  /** The ID that the request came with; undefined: the session is new. */
  idBefore: string | undefined;
  payload: SessionPayload;
  /** The parts as the request has read them. */
  partsRead: Readonly<Record<string, SessionPart>>;
  isStateChanged: boolean;
  /** Seconds from now. */
  expiresInSeconds: number;
}
