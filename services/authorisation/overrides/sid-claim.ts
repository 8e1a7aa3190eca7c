/**
 * Override: the claim `sid` for every client, and for tokens of a session only.
 *
 * oidc-provider adds `sid` (Back-Channel Logout 1.0 section 2.1) only to the codes and tokens of
 * clients that have a logout address. We revoke tokens by `sid`, so that every token ends with its
 * session. On the other hand, the library repeats the `sid` in each ID token of a refresh, even
 * with offline access, long after that session has ended. There is a hook for access tokens
 * (`formats.customizers`), and none for codes and ID tokens.
 */
import type Provider from "oidc-provider";
import type { IdToken, KoaContextWithOIDC } from "oidc-provider";
import { currentContext } from "./library.ts";

/** Adds `sid` to the codes and tokens of all clients, as far as they belong to a session. */
export function includeSids(provider: Provider): void {
  Object.assign(provider.Client.prototype, { includeSid: () => true });
  const { set } = provider.IdToken.prototype;
  Object.assign(provider.IdToken.prototype, {
    set(this: IdToken, ...[name, value]: Parameters<typeof set>) {
      const ctx = currentContext();
      const isKept = name !== "sid" || ctx === undefined || !outlivesSession(ctx);
      if (isKept) set.call(this, name, value);
    },
  });
}

/** With the scope offline_access, refreshed tokens do not belong to the session. */
export function outlivesSession(ctx: KoaContextWithOIDC): boolean {
  const { entities, params } = ctx.oidc;
  const { RefreshToken: refreshToken } = entities;
  return (
    left.has(ctx) ||
    (params?.grant_type === "refresh_token" &&
      refreshToken !== undefined &&
      refreshToken.expiresWithSession !== true)
  );
}

/** The tokens of this request do not belong to the session, because it has ended. */
export function leaveSession(ctx: KoaContextWithOIDC): void {
  left.add(ctx);
}

const left = new WeakSet<KoaContextWithOIDC>();
