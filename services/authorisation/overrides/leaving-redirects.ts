/**
 * Override: redirects that leave the service after a form.
 *
 * Browsers apply the `form-action` of a page to every redirect that follows its form, also to those
 * of other sites. So a redirect to a client whose address redirects to yet another origin would be
 * blocked: nobody can list those origins. A page in between ends the chain of the form. It goes on
 * by itself, without a script, and `form-action` can be 'self' alone.
 */
import type { KoaContextWithOIDC } from "oidc-provider";
import { providerPaths } from "../model/paths.ts";
import { answerPage, type Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";

/** The routes that answer a form of ours, or that a form of ours redirects to. */
const routesAfterForms = ["resume", "end_session_confirm"];

/** Middleware: answers with a page instead of a redirect that leaves the service. */
export function interstitialForExternalRedirects(authUrl: string) {
  const { authorization, interaction, device, endSession } = providerPaths;
  const ownPages = [authorization, interaction, device, endSession].map((path) => authUrl + path);

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const location = ctx.response.get("Location");
    if (!location || !routesAfterForms.includes(ctx.oidc?.route ?? "")) return;
    const { href } = new URL(location, authUrl);
    if (ownPages.some((page) => href.startsWith(`${page}/`))) return;
    ctx.remove("Location");
    answerLeaving(ctx, href);
  };
}

/** Answers a form of ours with a page that goes on to another address by itself. */
export function answerLeaving(ctx: Parameters<typeof answerPage>[0], href: string): void {
  // The header does what <meta http-equiv="refresh"> does. Browsers replace the page in their
  // history, and send no address of ours along.
  ctx.set({ Refresh: `0; url=${href}` });
  answerPage(ctx, 200, leavingPage(href));
}

function leavingPage(href: string): Page {
  const { host, protocol } = new URL(href);
  return {
    title: "You are sent on",
    leadsBack: true,
    body: html`<h1>You are sent on</h1>
<p>You are sent to ${host || protocol.replace(":", "")}.</p>
<p><a href="${href}">Go on</a> if that does not happen.</p>`,
  };
}
