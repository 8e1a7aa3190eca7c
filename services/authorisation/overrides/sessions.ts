/** RP-Initiated and Back-Channel Logout: how oidc-provider is set up for them. */
import type Provider from "oidc-provider";
import type { Configuration } from "oidc-provider";
import type pg from "pg";
import {
  askToSignOut,
  goOnWithoutScript,
  saySignedOut,
  takeFormsOfClients,
} from "../logout/logout-pages.ts";
import { providerPaths } from "../model/paths.ts";
import { accountIdOf } from "../model/subjects.ts";
import { findAccount } from "../store/accounts.ts";
import { endSession, type SessionPayload, storeSession } from "../store/sessions.ts";

/** The part of the features. */
export function logoutFeatures(pool: pg.Pool) {
  const findLoginName = async (subject: string) => {
    const accountId = accountIdOf(subject);
    return accountId && (await findAccount(pool, accountId))?.loginName;
  };
  return {
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx) => askToSignOut(ctx, findLoginName),
      postLogoutSuccessSource: saySignedOut,
    },
    backchannelLogout: { enabled: true },
  } satisfies Configuration["features"];
}

/** What ending sessions takes. */
export interface EndOptions {
  /** The issuer. */
  authUrl: string;
  pool: pg.Pool;
  /** Called when sessions have ended. */
  sessionsEnded: () => void;
}

/**
 * Has sessions end as they should, whatever ends them: see store/end-sessions.ts. oidc-provider
 * would forget the session, tell each client once, and leave its tokens as they are; and a request
 * that was under way would store it again.
 */
export function endSessionsWhole(provider: Provider, options: EndOptions): void {
  const { authUrl, pool, sessionsEnded } = options;
  const { destroy } = provider.Session.prototype;
  const { find } = provider.Session;
  // What requests found to be under way, and need not store again: see store/store-session.ts.
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
      await endSession(pool, this.jti);
      sessionsEnded();
      await destroy.call(this);
    },
    async save(this: StoredSession, expiresInSeconds: number) {
      // What has an expiry was read from the database, or stored there already.
      const idBefore = this.exp === undefined ? undefined : (this.oldId ?? this.jti);
      this.exp = Math.floor(Date.now() / 1000) + expiresInSeconds;
      const { jti: id, state, ...rest } = (await this.getValueAndPayload()).payload;
      const payload = state === undefined || statesRead.has(state) ? rest : { ...rest, state };
      await storeSession(pool, { id, idBefore, payload, expiresInSeconds });
      // The ID is new when somebody has signed in, and when a client's part of the session ended.
      if (this.oldId !== undefined) sessionsEnded();
      Object.assign(this, { oldId: undefined, touched: false });
      return id;
    },
  });
  // Those that are to be told are in the database by then.
  Object.assign(provider.Client.prototype, { backchannelLogout: async () => undefined });
  provider.use(goOnWithoutScript);
  provider.use(takeFormsOfClients(authUrl + providerPaths.endSession));
}

type StoredSession = InstanceType<Provider["Session"]> & {
  oldId?: string;
  getValueAndPayload(): Promise<{ payload: SessionPayload & { jti: string } }>;
};
