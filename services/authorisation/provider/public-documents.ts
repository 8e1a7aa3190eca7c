/**
 * The key set and the metadata (RFC 8414, OpenID Connect Discovery): true, cacheable, and open to
 * pages of any origin, as nothing else is.
 */
import type { KoaContextWithOIDC } from "oidc-provider";

/** Five minutes: long enough to spare us requests, short enough for a new key to be seen soon. */
const cacheControl = "public, max-age=300";

/**
 * The members of the metadata that hold for what is offered. oidc-provider writes more: an
 * authorization endpoint, for one, always, though no client may use it.
 */
const offered = [
  "issuer",
  "token_endpoint",
  "jwks_uri",
  "grant_types_supported",
  "response_types_supported",
  "token_endpoint_auth_methods_supported",
];

/** Middleware: leaves in the metadata what is {@link offered}; lets public documents be shared. */
export async function publishDocuments(
  ctx: KoaContextWithOIDC,
  next: () => Promise<unknown>,
): Promise<void> {
  await next();
  const route = ctx.oidc?.route;
  if (route !== "discovery" && route !== "jwks") {
    ctx.remove("Access-Control-Allow-Origin");
    ctx.remove("Access-Control-Expose-Headers");
    return;
  }
  if (ctx.status !== 200) return;
  if (route === "discovery") {
    const metadata = ctx.body as Record<string, unknown>;
    ctx.body = Object.fromEntries(offered.map((member) => [member, metadata[member]]));
  }
  ctx.set("Cache-Control", cacheControl);
}
