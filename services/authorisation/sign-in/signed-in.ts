/** Who is signed in, on pages that belong to no request of a client. */
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC, Session } from "oidc-provider";
import type pg from "pg";
import { accountIdOf } from "../model/subjects.ts";
import { findAccount, isSignedOut, type StoredAccount } from "../store/accounts.ts";

/** Who is signed in, in which session. */
export interface SignedIn {
  account: StoredAccount;
  session: Session;
}

/** Finds who is signed in with this browser; undefined: nobody, or the session is over. */
export async function findSignedIn(
  ctx: KoaContextWithOIDC,
  { provider, pool }: { provider: Provider; pool: pg.Pool },
): Promise<SignedIn | undefined> {
  const session = await provider.Session.get(ctx);
  const accountId = accountIdOf(session.accountId ?? "");
  const account = accountId === undefined ? undefined : await findAccount(pool, accountId);
  if (account === undefined) return undefined;
  const isOver = isSignedOut(account, session.loginTs);
  return isOver ? undefined : { account, session };
}
