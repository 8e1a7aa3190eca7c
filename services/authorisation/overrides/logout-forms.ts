/**
 * Override: logout requests that clients send by POST (RP-Initiated Logout 1.0 section 2).
 *
 * oidc-provider accepts them by GET only. The redirect also solves another problem: browsers do not
 * send our cookies with a form of another site (SameSite), but they send them with a redirect.
 */
import { text } from "node:stream/consumers";
import type { KoaContextWithOIDC } from "oidc-provider";

/** Middleware: turns the form into a redirect to the same request by GET. */
export function redirectLogoutForms(endSessionUrl: string, endSessionPath: string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    if (ctx.method !== "POST" || ctx.path !== endSessionPath) {
      await next();
      return;
    }
    ctx.status = 303;
    ctx.redirect(`${endSessionUrl}?${new URLSearchParams(await text(ctx.req))}`);
  };
}
