/**
 * Override: sign-ins in several tabs at once make one session.
 *
 * In oidc-provider each makes a session of its own. The browser keeps the cookie of one, and nobody
 * could sign out of the others. Here a browser gets a cookie when it is asked to sign in, and the
 * sessions of the same person that begin under it have the same `uid`, so store/sessions.ts stores
 * one session. There is no hook for the `uid` of a session that begins.
 */
import { hash, randomBytes } from "node:crypto";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC, Session } from "oidc-provider";
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

/** Gives sessions that begin in one browser, for one person, the same `uid`. */
export function shareSignIns(provider: Provider, { name, path }: BrowserCookie): void {
  const { loginAccount } = provider.Session.prototype;
  Object.assign(provider.Session.prototype, {
    loginAccount(this: Session, details: Parameters<typeof loginAccount>[0]) {
      const isNew = this.accountId === undefined;
      loginAccount.call(this, details);
      if (!isNew) return;
      // Always another `uid`: knowing the one of an earlier session must not reveal this one.
      const ctx = currentContext();
      const browser = ctx?.cookies.get(name) || randomText();
      // In hexadecimal, none looks like an option of a command.
      this.uid = hash("sha256", `${browser} ${details.accountId}`, "hex");
      // A later session gets another `uid`.
      ctx?.cookies.set(name, null, { path });
    },
  });
}

function randomText(): string {
  return randomBytes(32).toString("base64url");
}
