/**
 * Override: which pages of other origins may read an answer.
 *
 * oidc-provider decides by a callback before it authenticates the client, so a refusal there would
 * reveal that the client exists. It answers every preflight, which names no client. The callback
 * allows all (`clientBasedCORS`), and this removes the headers afterwards, unless the page belongs
 * to the client (RFC 9700 section 2.6), or, before any client is known, to some public client.
 */
import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { isPublicRoute } from "./published-documents.ts";

/** The headers that let a page of another origin send a request or read an answer. */
const headers = [
  "Access-Control-Allow-Origin",
  "Access-Control-Allow-Headers",
  "Access-Control-Allow-Methods",
  "Access-Control-Expose-Headers",
  "Access-Control-Max-Age",
];

/**
 * Middleware: removes the CORS headers from answers that are for other origins.
 *
 * @param findPageUris finds the redirect URIs of all public clients
 */
export function corsPolicy(findPageUris: () => Promise<readonly string[]>) {
  const urisFor = async ({ oidc }: KoaContextWithOIDC) => {
    if (oidc?.client !== undefined) return pageUrisOf(oidc.client);
    // Without the database, pages of other origins may not read the answer.
    return await findPageUris().catch(() => []);
  };
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    if (isPublicRoute(ctx.oidc?.route) || !ctx.response.get("Access-Control-Allow-Origin")) return;
    const origin = ctx.get("Origin");
    if (origin !== "" && hasOrigin(await urisFor(ctx), origin)) return;
    for (const header of headers) ctx.remove(header);
  };
}

function pageUrisOf({ clientAuthMethod, redirectUris = [] }: Client): readonly string[] {
  return clientAuthMethod === "none" ? redirectUris : [];
}

/** The origin of an address with a scheme of an application's own is "null". */
function hasOrigin(uris: readonly string[], origin: string): boolean {
  return origin !== "null" && uris.some((uri) => URL.parse(uri)?.origin === origin);
}
