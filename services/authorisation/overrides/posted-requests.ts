/**
 * Override: authorization requests that clients send by POST (OpenID Connect Core section 3.1.2.1).
 *
 * oidc-provider accepts them only if the session's cookie is sent with forms of other sites
 * (SameSite=None), which would let other sites use the session. Ours is not, so such a request
 * comes without it, and the person signs in again. No redirect to GET: its address would contain
 * the request, which the client has posted to keep it out of addresses.
 */
import { text } from "node:stream/consumers";
import type { KoaContextWithOIDC } from "oidc-provider";

/** Middleware: turns the form into a query, for the library only. */
export function acceptPostedRequests(authorizationPath: string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    if (ctx.method === "POST" && ctx.path === authorizationPath) {
      const form = ctx.is("application/x-www-form-urlencoded") ? await text(ctx.req) : "";
      const query = `?${new URLSearchParams(form)}`;
      const { originalUrl = "" } = ctx.req as { originalUrl?: string };
      const [path = ""] = originalUrl.split("?", 1);
      Object.assign(ctx.req, { method: "GET", originalUrl: path + query });
      ctx.url = authorizationPath + query;
    }
    await next();
  };
}
