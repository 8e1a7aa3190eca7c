/**
 * Override: how sessions are stored and ended.
 *
 * oidc-provider stores a session as a request has read and changed it, which undoes what other
 * requests of the browser have changed or ended in the meantime. When a session ends, it tells each
 * client once and leaves the tokens valid. Here `storeSession` merges the changes, and `endSession`
 * revokes the tokens and records which clients to tell: see store/sessions.ts.
 */
import type Provider from "oidc-provider";

/** The members of oidc-provider's sessions that matter here. */
export interface SessionPayload {
  uid?: string;
  accountId?: string;
  /** What the person is asked, such as whether to sign out. */
  state?: object;
  /** By the ID of the client. */
  authorizations?: Record<string, SessionPart>;
}

/** A client's part of a session. The client knows the session by an ID of its own, or by more. */
export interface SessionPart {
  sid?: string;
  otherSids?: string[];
}

/** A session to store. */
export interface SessionRecord {
  /** The ID in its cookie. */
  id: string;
  /** The ID when the request read the session; undefined: the session is new. */
  idBefore: string | undefined;
  /** Has a `state` only if the request has changed it. */
  payload: SessionPayload;
  /** Seconds from now. */
  expiresInSeconds: number;
}

/** Where sessions are stored. */
interface SessionStorage {
  /** Stores a session. */
  storeSession: (session: SessionRecord) => Promise<void>;
  /** Ends a session, by the ID in its cookie. */
  endSession: (id: string) => Promise<void>;
  /** Called when a session, or a client's part of it, has ended. */
  sessionsEnded: () => void;
}

/** Replaces how the library stores and ends sessions. */
export function replaceSessionStorage(provider: Provider, storage: SessionStorage): void {
  const { storeSession, endSession, sessionsEnded } = storage;
  const { destroy } = provider.Session.prototype;
  const { find } = provider.Session;
  // The states that requests have read. They are not stored again: see store/sessions.ts.
  const statesRead = new WeakSet<object>();
  Object.assign(provider.Session, {
    async find(...parameters: Parameters<typeof find>) {
      const session = (await find.apply(provider.Session, parameters)) as StoredSession | undefined;
      if (session?.state !== undefined) statesRead.add(session.state);
      return session;
    },
  });
  Object.assign(provider.Session.prototype, {
    async destroy(this: StoredSession) {
      await endSession(this.jti);
      sessionsEnded();
      await destroy.call(this);
    },
    async save(this: StoredSession, expiresInSeconds: number) {
      // A session with an expiry was read from the database, or has been stored there.
      const idBefore = this.exp === undefined ? undefined : (this.oldId ?? this.jti);
      this.exp = Math.floor(Date.now() / 1000) + expiresInSeconds;
      const { jti: id, state, ...rest } = (await this.getValueAndPayload()).payload;
      const payload = state === undefined || statesRead.has(state) ? rest : { ...rest, state };
      await storeSession({ id, idBefore, payload, expiresInSeconds });
      // The ID changes when a person signs in, and when a client's part of the session ends.
      if (this.oldId !== undefined) sessionsEnded();
      Object.assign(this, { oldId: undefined, touched: false });
      return id;
    },
  });
  // The database has recorded which clients to tell.
  Object.assign(provider.Client.prototype, { backchannelLogout: async () => undefined });
}

type StoredSession = InstanceType<Provider["Session"]> & {
  oldId?: string;
  getValueAndPayload(): Promise<{ payload: SessionPayload & { jti: string } }>;
};
