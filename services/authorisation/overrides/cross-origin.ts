/**
 * Override: which pages of other origins may read an answer.
 *
 * oidc-provider decides by a callback before it authenticates the client, so a refusal there would
 * reveal that the client exists. The callback allows all (`clientBasedCORS`), and this removes the
 * headers afterwards, unless the page belongs to the client (RFC 9700 section 2.6).
 */
import type { KoaContextWithOIDC } from "oidc-provider";
import { isPublicRoute } from "./published-documents.ts";

/** Middleware: removes the CORS headers from answers that are for other origins. */
export async function keepFromOtherOrigins(
  ctx: KoaContextWithOIDC,
  next: () => Promise<unknown>,
): Promise<void> {
  await next();
  if (isPublicRoute(ctx.oidc?.route) || isPageOfClient(ctx)) return;
  ctx.remove("Access-Control-Allow-Origin");
  ctx.remove("Access-Control-Expose-Headers");
}

function isPageOfClient(ctx: KoaContextWithOIDC): boolean {
  const client = ctx.oidc?.client;
  const origin = ctx.get("Origin");
  return (
    client?.clientAuthMethod === "none" &&
    client.redirectUris?.some((uri) => URL.parse(uri)?.origin === origin) === true &&
    origin !== "null"
  );
}
