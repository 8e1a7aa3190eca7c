/**
 * Override: how sessions are found, stored and ended.
 *
 * oidc-provider stores a session as a request has read and changed it, which undoes what other
 * requests of the browser have changed or ended in the meantime. Its answer to each request sets
 * the cookie again, even if another request has replaced the session's ID. When a session ends, it
 * tells each client once and leaves the tokens valid. Here `storeSession` merges the changes, only
 * the answer that brings a new ID sets the cookie, and `endSession` revokes the tokens and records
 * which clients to tell: see store/sessions.ts and store/end-sessions.ts. The storage alone cannot
 * do that: it gets a session as it is to be, and not as it was read.
 */
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC, Session } from "oidc-provider";
import { sessionSeconds } from "../model/lifetimes.ts";
import type { SessionPayload, SessionRecord } from "../model/session.ts";
import { subjectOf } from "../model/subjects.ts";
import { currentContext } from "./library.ts";

/** Where sessions are stored. */
interface SessionStorage {
  /** Finds the session that another cookie ID than its current one leads to. */
  findSessionByOtherId: (
    cookieId: string,
    options: { atAnyAge: boolean },
  ) => Promise<SessionPayload | undefined>;
  /** Stores a session. Returns false if the browser gets no new cookie ID. */
  storeSession: (session: SessionRecord) => Promise<boolean>;
  /** Ends a session. `subject` is who was signed in, if anybody was. */
  endSession: (cookieId: string, subject: string | undefined) => Promise<void>;
  /** Called when a session, or a client's part of it, has ended. */
  sessionsEnded: () => void;
}

/**
 * How long browsers keep the cookie, which is longer than any session. The database knows when a
 * session ends. A cookie that ended with it would have to be sent again with each answer, and such
 * an answer could arrive after that of another request, which has replaced the ID.
 */
const cookieSeconds = 400 * 24 * 3600;

/** Replaces how the library finds, stores and ends sessions. */
export function replaceSessionStorage(provider: Provider, storage: SessionStorage): void {
  const { storeSession, endSession, sessionsEnded } = storage;
  const { destroy } = provider.Session.prototype;
  Object.assign(provider.Session, { find: sessionFinder(provider, storage) });
  Object.assign(provider.Session.prototype, {
    async destroy(this: StoredSession) {
      await endSession(this.jti, this.accountId);
      sessionsEnded();
      await destroy.call(this);
    },
    async save(this: StoredSession, expiresInSeconds: number) {
      // A sign-in does not continue a session in which nobody was signed in: it begins another.
      const isNew = this.asRead === undefined || (!isStored(this) && this.accountId !== undefined);
      const cookieIdBefore = isNew ? undefined : (this.oldId ?? this.jti);
      this.exp = Math.floor(Date.now() / 1000) + expiresInSeconds;
      const { jti: cookieId, ...payload } = (await this.getValueAndPayload()).payload;
      const isEmpty = isNew && payload.accountId === undefined && payload.state === undefined;
      const partsRead = this.asRead?.authorizations ?? {};
      const isStateChanged = payload.state !== this.asRead?.state;
      const changes = { payload, partsRead, isStateChanged, expiresInSeconds };
      // For a cookie whose session has ended, the library stores an empty session.
      const isStoredNow =
        !isEmpty && (await storeSession({ cookieId, cookieIdBefore, ...changes }));
      if (!isStoredNow || cookieId === cookieIdBefore) keepCookie(provider.cookieName("session"));
      // From this time, the library computes when the browser removes the cookie.
      this.exp = Math.floor(Date.now() / 1000) + cookieSeconds;
      // The ID changes when a person signs in, and when a client's part of the session ends.
      if (this.oldId !== undefined) sessionsEnded();
      Object.assign(this, { oldId: undefined, touched: false });
      return cookieId;
    },
  });
  // The database has recorded which clients to tell.
  Object.assign(provider.Client.prototype, { backchannelLogout: async () => undefined });
}

/** Begins a session for a person who has just signed in, outside of a client's request. */
export async function beginSession(
  { cookies }: KoaContextWithOIDC,
  options: {
    provider: Provider;
    browserCookie: { path: string };
    lifetimes: Parameters<typeof sessionSeconds>[1];
  },
  signIn: { accountId: string; ts: number; amr?: string[]; acr?: string },
): Promise<void> {
  const { provider, browserCookie, lifetimes } = options;
  const session = new provider.Session() as StoredSession;
  const { accountId, ts: loginTs, ...how } = signIn;
  session.loginAccount({ accountId: subjectOf(accountId), loginTs, ...how });
  cookies.set(provider.cookieName("session"), session.jti, {
    path: browserCookie.path,
    maxAge: cookieSeconds * 1000,
    httpOnly: true,
    sameSite: "lax",
  });
  await session.save(sessionSeconds(session, lifetimes));
}

/** Whether a person was signed in, in this session, before this request. */
export function isStored(session: Session): boolean {
  return (session as StoredSession).asRead?.accountId !== undefined;
}

/** Finds sessions by the current ID or by another, and remembers what was read. */
function sessionFinder(provider: Provider, { findSessionByOtherId }: SessionStorage) {
  const { find } = provider.Session;
  const model = provider.Session as unknown as StoredSessions;

  return async (...parameters: Parameters<typeof find>) => {
    const [cookieId] = parameters;
    let session = (await find.apply(provider.Session, parameters)) as StoredSession | undefined;
    if (session === undefined && cookieId) {
      // Signing out must not fail because the answer with the current ID was lost.
      const atAnyAge = currentContext()?.oidc?.route?.startsWith("end_session") === true;
      const payload = await findSessionByOtherId(cookieId, { atAnyAge });
      if (payload !== undefined && (payload.exp ?? 0) > Date.now() / 1000) {
        session = model.instantiate({ ...payload, jti: cookieId });
      }
    }
    if (session !== undefined) {
      const { accountId, state, authorizations } = session;
      const asRead = { accountId, state, authorizations: structuredClone(authorizations ?? {}) };
      // The library stores only the members that it knows, so not this one.
      Object.defineProperty(session, "asRead", { value: asRead });
    }
    return session;
  };
}

/** Leaves the cookie of the browser as it is. */
function keepCookie(name: string): void {
  const ctx = currentContext();
  const cookies = [ctx?.response.headers["set-cookie"] ?? []].flat();
  const others = cookies.filter((cookie) => !cookie.startsWith(`${name}=`));
  if (others.length === cookies.length) return;
  if (others.length === 0) ctx?.remove("Set-Cookie");
  else ctx?.set("Set-Cookie", others);
}

type StoredSession = Session & {
  oldId?: string;
  asRead?: Required<Pick<SessionPayload, "authorizations">> &
    Pick<SessionPayload, "accountId" | "state">;
  getValueAndPayload(): Promise<{ payload: SessionPayload & { jti: string } }>;
};

interface StoredSessions {
  instantiate(payload: SessionPayload & { jti: string }): StoredSession;
}
