/** The pages on which people sign out. They need no JavaScript, and work by keyboard. */
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { accountIdOf } from "../model/subjects.ts";
import { answerPage, messagePage, type Page } from "../pages/answer-page.ts";
import { type Html, html } from "../pages/html.ts";
import { findAccount } from "../store/accounts.ts";
import { endPart } from "../store/end-sessions.ts";

/** The logout features of the provider's configuration. */
export function logoutFeatures(pool: pg.Pool) {
  return {
    rpInitiatedLogout: {
      enabled: true,
      async logoutSource(ctx) {
        const { session, client } = ctx.oidc;
        const accountId = accountIdOf(session?.accountId ?? "");
        const account = accountId && (await findAccount(pool, accountId));
        const loginName = account ? account.loginName : "somebody";
        answerPage(ctx, 200, logoutPage(loginName, nameOf(client), formOf(ctx)));
      },
      postLogoutSuccessSource(ctx) {
        const clientName = nameOf(ctx.oidc.client);
        const where = clientName === undefined ? "" : ` of ${clientName}`;
        const page = messagePage(`You are signed out${where}`, "You can close this page.");
        answerPage(ctx, 200, page);
      },
    },
    backchannelLogout: { enabled: true },
  } satisfies Configuration["features"];
}

/** Middleware: records that a person has signed out of one client only. */
export function clientSignOut(pool: pg.Pool) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const { route, session, client } = ctx.oidc ?? {};
    if (route !== "end_session_confirm" || ctx.status !== 303) return;
    if (session === undefined || client === undefined) return;
    await endPart(pool, session.uid, client.clientId);
  };
}

function logoutPage(loginName: string, clientName: string | undefined, form: LogoutForm): Page {
  return {
    title: "Sign out?",
    leadsBack: true,
    body: html`<h1>Sign out?</h1>
<p class="quiet">You are signed in as ${loginName}.</p>
<p>Signing out ends your session here, and in every program that you have signed in to with it.</p>
${formWith(
  form,
  html`<button name="logout" value="yes">Sign out</button>
${clientName && html`<button class="second">Sign out of ${clientName} only</button>\n`}`,
)}`,
  };
}

/** Where the form is sent, and the secret that proves that it is ours. */
interface LogoutForm {
  action: string;
  xsrf: string;
}

function formOf(ctx: KoaContextWithOIDC): LogoutForm {
  const { session } = ctx.oidc;
  return { action: ctx.oidc.urlFor("end_session_confirm"), xsrf: String(session?.state?.secret) };
}

function formWith({ action, xsrf }: LogoutForm, buttons: Html): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="buttons">
${buttons}</div>
</form>`;
}

function nameOf(client: KoaContextWithOIDC["oidc"]["client"]): string | undefined {
  return client && (client.clientName ?? client.clientId);
}
