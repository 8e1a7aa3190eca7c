/**
 * Override: a session has one ID, from the sign-in to its end.
 *
 * oidc-provider gives the browser another ID at each sign-in and consent, and begins a session for
 * each of several tabs that sign in at once. The browser keeps the cookie that arrives last, so
 * nobody could sign out of the other sessions. Here the ID is made when a person signs in, from a
 * cookie that the browser got with the page for that, and it stays. What several requests store
 * under it is merged: see store/sessions.ts. There is no hook for the ID of a session.
 */
import { createHmac, hash, randomBytes } from "node:crypto";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC, Session } from "oidc-provider";
import { sessionSeconds } from "../model/lifetimes.ts";
import { subjectOf } from "../model/subjects.ts";
import { currentContext } from "./library.ts";

/** The cookie that tells browsers apart. */
export interface BrowserCookie {
  name: string;
  path: string;
}

/** A page on which a person signs in may stay open for an hour. */
const maxAgeMs = 3_600_000;

/** Gives a browser its cookie, unless it has one. Returns its value. */
export function ensureBrowserCookie(
  ctx: KoaContextWithOIDC,
  { name, path }: BrowserCookie,
): string {
  const known = ctx.cookies.get(name);
  if (known) return known;
  const value = randomText();
  ctx.cookies.set(name, value, { path, maxAge: maxAgeMs, httpOnly: true, sameSite: "lax" });
  return value;
}

/**
 * Makes the IDs of sessions.
 *
 * @param key makes them from the cookie of the browser, so that nobody who has set that cookie
 *   knows the ID
 */
export function keepSessionIds(
  provider: Provider,
  { key, cookie: { name, path } }: { key: Buffer; cookie: BrowserCookie },
): void {
  const { loginAccount } = provider.Session.prototype;
  Object.assign(provider.Session.prototype, {
    loginAccount(this: Session, details: Parameters<typeof loginAccount>[0]) {
      const isSignedIn = this.accountId !== undefined;
      loginAccount.call(this, details);
      if (isSignedIn) return;
      const ctx = currentContext();
      const browser = ctx?.cookies.get(name) || randomText();
      const made = createHmac("sha256", key).update(`${browser} ${details.accountId}`);
      this.jti = made.digest("base64url");
      // In hexadecimal, none looks like an option of a command.
      this.uid = hash("sha256", this.jti, "hex");
      // The next session gets another ID.
      ctx?.cookies.set(name, null, { path });
    },
    resetIdentifier() {},
  });
}

/** Begins a session for a person who has just signed in. */
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
  const session = new provider.Session();
  const { accountId, ts: loginTs, ...how } = signIn;
  session.loginAccount({ accountId: subjectOf(accountId), loginTs, ...how });
  const expiresInSeconds = sessionSeconds(session, lifetimes);
  cookies.set(provider.cookieName("session"), session.jti, {
    path: browserCookie.path,
    maxAge: expiresInSeconds * 1000,
    httpOnly: true,
    sameSite: "lax",
  });
  await session.save(expiresInSeconds);
}

/** 256 random bits. */
function randomText(): string {
  return randomBytes(32).toString("base64url");
}
