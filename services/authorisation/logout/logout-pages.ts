/** The pages on which people sign out: without JavaScript, usable by keyboard and read aloud. */

import { text } from "node:stream/consumers";
import type { KoaContextWithOIDC } from "oidc-provider";
import { providerPaths } from "../model/paths.ts";
import { answerPage, messagePage, type Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";

/** A form that goes on, and what proves that it is ours. */
export interface LogoutForm {
  /** Where it goes. */
  action: string;
  xsrf: string;
}

/** Asks whether to sign out. */
export function logoutPage(
  view: LogoutForm & {
    /** Who is signed in. */
    loginName: string;
    /** Which program sends the person here; undefined where it does not say. */
    clientName: string | undefined;
  },
): Page {
  const { clientName } = view;
  return {
    title: "Sign out?",
    body: html`<h1>Sign out?</h1>
<p class="quiet">You are signed in as ${view.loginName}.</p>
<p>Signing out ends your session here, and in every program that you have signed in to with it.</p>
${form(
  view,
  html`<button name="logout" value="yes">Sign out</button>
${clientName && html`<button class="second">Sign out of ${clientName} only</button>\n`}`,
)}`,
  };
}

/** What comes after it, where the program named no place to go. */
export function signedOutPage(clientName: string | undefined): Page {
  const where = clientName === undefined ? "" : ` of ${clientName}`;
  return messagePage(`You are signed out${where}`, "You can close this page.");
}

/** Where there is nobody to sign out. */
export function nobodyPage(view: LogoutForm): Page {
  return goOnPage("You are not signed in", "There is nothing to sign out of.", view);
}

/** Where somebody signs in while somebody else still is. */
export function otherPersonPage(view: LogoutForm): Page {
  const text = "To go on with the account that you have just signed in with, end that session.";
  return goOnPage("Somebody else is signed in in this browser", text, view);
}

function goOnPage(title: string, text: string, view: LogoutForm): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${form(view, html`<button name="logout" value="yes">Go on</button>\n`)}`,
  };
}

function form({ action, xsrf }: LogoutForm, buttons: ReturnType<typeof html>) {
  return html`<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="buttons">
${buttons}</div>
</form>`;
}

/** Asks whether to sign out. */
export async function askToSignOut(
  ctx: KoaContextWithOIDC,
  findLoginName: (subject: string) => Promise<string | undefined>,
): Promise<void> {
  const { session, client } = ctx.oidc;
  const loginName = (await findLoginName(session?.accountId ?? "")) ?? "somebody";
  const page = logoutPage({ ...formOf(ctx), loginName, clientName: nameOf(client) });
  answerPage(ctx, 200, page, leadsTo(ctx));
}

/** Says that it is done. */
export function saySignedOut(ctx: KoaContextWithOIDC): void {
  answerPage(ctx, 200, signedOutPage(nameOf(ctx.oidc.client)));
}

/**
 * Middleware: in two places oidc-provider goes on by a script, in a page that says nothing; here it
 * is a button. It ends the session of who is signed in there, if anybody is.
 */
export async function goOnWithoutScript(
  ctx: KoaContextWithOIDC,
  next: () => Promise<unknown>,
): Promise<void> {
  await next();
  if (!isScriptWithSecret(ctx)) return;
  const { route } = ctx.oidc;
  if (route === "end_session") answerPage(ctx, 200, nobodyPage(formOf(ctx)), leadsTo(ctx));
  if (route === "resume") answerPage(ctx, 200, otherPersonPage(formOf(ctx)), leadsTo(ctx));
}

/**
 * Middleware: clients may send people by a form as well (RP-Initiated Logout 1.0 section 2).
 * Browsers send our cookies with no form of another site, but with the redirect after it they do.
 */
export function takeFormsOfClients(endSessionUrl: string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    if (ctx.method !== "POST" || ctx.path !== providerPaths.endSession) {
      await next();
      return;
    }
    ctx.status = 303;
    ctx.redirect(`${endSessionUrl}?${new URLSearchParams(await text(ctx.req))}`);
  };
}

/** Others go on by a script because their client wants it so: response_mode=form_post. */
function isScriptWithSecret(ctx: KoaContextWithOIDC): boolean {
  const { body } = ctx as { body: unknown };
  return typeof body === "string" && body.includes("<script>") && body.includes('name="xsrf"');
}

function formOf(ctx: KoaContextWithOIDC): LogoutForm {
  const { session } = ctx.oidc;
  return { action: ctx.oidc.urlFor("end_session_confirm"), xsrf: String(session?.state?.secret) };
}

/** Browsers want to know where the answers to a form lead in the end. */
function leadsTo(ctx: KoaContextWithOIDC): string[] {
  const { params, entities } = ctx.oidc;
  const uris = [params?.post_logout_redirect_uri, entities.Interaction?.params.redirect_uri];
  return uris.filter((uri) => typeof uri === "string");
}

function nameOf(client: KoaContextWithOIDC["oidc"]["client"]): string | undefined {
  return client && (client.clientName ?? client.clientId);
}
