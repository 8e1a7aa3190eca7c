/** Where oidc-provider would show pages of its own on the way out, ours are shown. */
import { text } from "node:stream/consumers";
import type { KoaContextWithOIDC } from "oidc-provider";
import { answerPage } from "../pages/answer-page.ts";
import { providerPaths } from "../provider/paths.ts";
import {
  type LogoutForm,
  logoutPage,
  nobodyPage,
  otherPersonPage,
  signedOutPage,
} from "./logout-pages.ts";

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
