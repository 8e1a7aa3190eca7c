/**
 * Override: pages that submit themselves by a script.
 *
 * In three places oidc-provider continues by a page with a script and no text: a logout of a
 * browser in which nobody is signed in, a sign-in while another person is signed in, and an address
 * that contains a user code. Our Content-Security-Policy allows no scripts, so people get a page
 * with a button instead.
 */
import type { KoaContextWithOIDC } from "oidc-provider";

/** Answers with a page whose form has the secret of the session. */
export type ShowPage = (ctx: KoaContextWithOIDC) => void;

/** Middleware: replaces the pages, by route. */
export function replaceScriptPages(pages: Readonly<Record<string, ShowPage>>) {
  const pageOf = new Map(Object.entries(pages));

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    if (isScriptWithSecret(ctx.body)) pageOf.get(ctx.oidc.route)?.(ctx);
  };
}

/** Clients may ask for other scripts, with response_mode=form_post. Those contain no secret. */
function isScriptWithSecret(body: unknown): boolean {
  return typeof body === "string" && body.includes("<script>") && body.includes('name="xsrf"');
}
