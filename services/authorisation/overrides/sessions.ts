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
import type { Session } from "oidc-provider";
import { currentContext } from "./library.ts";

/**
 * Makes the IDs of sessions.
 *
 * @param key makes them from the cookie of the browser, so that nobody who has set that cookie
 *   knows the ID
 */
export function keepSessionIds(
  provider: Provider,
  { key, cookie: { name, path } }: { key: Buffer; cookie: { name: string; path: string } },
): void {
  const { loginAccount } = provider.Session.prototype;
  Object.assign(provider.Session.prototype, {
    loginAccount(this: Session, details: Parameters<typeof loginAccount>[0]) {
      const isSignedIn = this.accountId !== undefined;
      loginAccount.call(this, details);
      if (isSignedIn) return;
      const ctx = currentContext();
      const browser = ctx?.cookies.get(name) || randomBytes(32).toString("base64url");
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
