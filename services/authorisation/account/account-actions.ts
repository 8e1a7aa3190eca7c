/** What the forms of the account page do. */
import { isLowerCaseUuid } from "@stowage/process";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { type BrowserCookie, beginSession } from "../http/cookies.ts";
import type { ProviderSignIn } from "../identity-provider/begin.ts";
import { checkPassword } from "../model/credentials.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { errors } from "../overrides/library.ts";
import { endSessionOfPerson } from "../sign-in/end-session.ts";
import type { PasswordSignIn } from "../sign-in/password-sign-in.ts";
import type { SignedIn } from "../sign-in/signed-in.ts";
import { replacePassword } from "../store/accounts.ts";
import { type AuditEvent, recordEvent } from "../store/audit-events.ts";
import { listSessions, sessionsMax } from "../store/list-sessions.ts";
import { withdrawConsents } from "../store/revoke-access.ts";

export interface AccountOptions {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  pool: pg.Pool;
  signIn: PasswordSignIn;
  /** The way to another provider, if there is one. */
  otherSignIn: ProviderSignIn | undefined;
  /** Hashes a new password, within the limit for such work. */
  hashPassword: (password: string) => Promise<string>;
  browserCookie: BrowserCookie;
  lifetimes: Lifetimes;
}

/** A word for what was done; or the problem, and the status to answer. */
type Outcome =
  | { done: string; problem?: undefined }
  | { done?: undefined; problem: string; status: number };

type Action = (
  ctx: KoaContextWithOIDC,
  signedIn: SignedIn,
  form: URLSearchParams,
) => Promise<Outcome>;

/** By the value of the field `act`. */
export function accountActions(options: AccountOptions): Readonly<Record<string, Action>> {
  const { pool } = options;
  const record = (
    ctx: KoaContextWithOIDC,
    { session: { accountId: subject } }: SignedIn,
    event: Pick<AuditEvent, "kind" | "clientId" | "details">,
  ) => recordEvent(pool, { subject, address: ctx.ip, ...event });

  const end = async (ctx: KoaContextWithOIDC, signedIn: SignedIn, sessionUid: string) => {
    const subject = String(signedIn.session.accountId);
    await endSessionOfPerson(pool, { sessionUid, subject }, (event) =>
      record(ctx, signedIn, event),
    );
  };

  return {
    async "end-session"(ctx, signedIn, form) {
      await end(ctx, signedIn, form.get("session") ?? "");
      return { done: "ended" };
    },
    async "end-others"(ctx, signedIn) {
      const { accountId, uid } = signedIn.session;
      const sessions = await listSessions(pool, { subject: String(accountId) }, sessionsMax);
      const others = sessions.filter(({ sessionUid }) => sessionUid !== uid);
      for (const { sessionUid } of others) await end(ctx, signedIn, sessionUid);
      return { done: "others" };
    },
    async withdraw(ctx, signedIn, form) {
      const clientId = form.get("client") ?? "";
      const { accountId } = signedIn.account;
      if (isLowerCaseUuid(clientId) && (await withdrawConsents(pool, accountId, clientId))) {
        await record(ctx, signedIn, { kind: "consent_withdrawn", clientId });
      }
      return { done: "withdrawn" };
    },
    async "change-password"(ctx, signedIn, form) {
      const next = form.get("new_password") ?? "";
      const problem = problemOf(next, form.get("repeated"));
      if (problem !== undefined) return { problem, status: 400 };
      const { accountId, loginName, signedOutAt } = signedIn.account;
      const password = form.get("password") ?? "";
      const claim = { loginName, password, organisationId: undefined };
      const outcome = await options.signIn(ctx, claim);
      if ("problem" in outcome) {
        const isWrong = outcome.status === 400;
        return isWrong ? { problem: "The password is wrong.", status: 400 } : outcome;
      }
      const passwordHash = await options.hashPassword(next);
      // Meanwhile an operator may have reset the password, or another request signed out.
      const checked = { accountId, signedOutAt, passwordHash: outcome.account.passwordHash };
      const ts = await replacePassword(pool, checked, passwordHash);
      if (ts === undefined) throw new errors.SessionNotFound("the account was changed meanwhile");
      // This has ended all sessions, with the current one, and sign-ins that had begun with the old
      // password. So a new session begins.
      await record(ctx, signedIn, { kind: "password_changed" });
      await beginSession(ctx, options, { accountId, ts, amr: ["pwd"] });
      return { done: "password" };
    },
  };
}

/** Why a new password cannot be used. */
function problemOf(password: string, repeated: string | null): string | undefined {
  if (password !== repeated) return "The two new passwords are not the same.";
  try {
    checkPassword(password);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
