/** Signing in. */
import type { Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import { normaliseLoginName } from "../model/credentials.ts";
import { subjectOf } from "../model/subjects.ts";
import { answerPage, type Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";
import type { Authenticate } from "./authenticate.ts";
import type { LoginRates, Step } from "./sign-in-pages.ts";
import { type AskingClient, askingClient, declined } from "./step.ts";

/** What it takes. */
export interface LoginOptions {
  provider: Provider;
  authenticate: Authenticate;
  /** How often one address, and anybody for one account, may fail. */
  rates: LoginRates;
  logger: Logger;
}

/** The step of the prompt `login`. */
export function loginStep({ provider, authenticate, rates, logger }: LoginOptions): Step {
  // Counted before the password is looked at, so that many at once are no way around it.
  const wait = async (ctx: KoaContextWithOIDC, loginName: string) =>
    (await rates.address.take(ctx.ip)) || (await rates.account.take(accountKey(loginName)));
  const giveBack = async (ctx: KoaContextWithOIDC, loginName: string) => {
    await rates.address.giveBack(ctx.ip);
    await rates.account.giveBack(accountKey(loginName));
  };

  return {
    async show(ctx, interaction) {
      const hint = interaction.params.login_hint;
      const client = await askingClient(provider, interaction);
      answer(ctx, 200, client, { loginName: typeof hint === "string" ? hint : "" });
    },
    async take(ctx, interaction, form) {
      if (form.get("act") === "cancel") return declined;
      const client = await askingClient(provider, interaction);
      const loginName = form.get("login_name") ?? "";
      const waitSeconds = await wait(ctx, loginName);
      if (waitSeconds > 0) {
        ctx.set("Retry-After", String(waitSeconds));
        logger.info({ address: ctx.ip }, "refused a sign-in: too many attempts");
        answer(ctx, 429, client, { loginName, problem: tooOften(waitSeconds) });
        return undefined;
      }
      // The password that counts is the one of this moment: see isSignInOver in provider/people.ts.
      const ts = Math.floor(Date.now() / 1000);
      const { organisationId } = client;
      const password = form.get("password") ?? "";
      const account = await authenticate({ loginName, password, organisationId });
      if (account === undefined) {
        logger.info({ address: ctx.ip, clientId: client.clientId }, "refused a sign-in");
        answer(ctx, 400, client, { loginName, problem: wrong });
        return undefined;
      }
      await giveBack(ctx, loginName);
      return { login: { accountId: subjectOf(account.accountId), amr: ["pwd"], ts } };
    },
  };
}

function accountKey(loginName: string): string {
  return normaliseLoginName(loginName) ?? "";
}

const wrong = "The login name or the password is wrong.";

function tooOften(waitSeconds: number): string {
  return `There were too many attempts. Try again in ${waitSeconds} seconds.`;
}

function answer(
  ctx: KoaContextWithOIDC,
  status: number,
  client: AskingClient,
  view: { loginName: string; problem?: string },
): void {
  const page = loginPage({ clientName: client.name, ...view });
  answerPage(ctx, status, page, [client.redirectUri]);
}

/** What is on it. */
export interface LoginView {
  /** Which program sends the person here. */
  clientName: string;
  /** What the field holds already. */
  loginName: string;
  /** What is wrong with the attempt before, if anything. */
  problem?: string | undefined;
}

/** Makes the page. Its form goes to where the page is. */
export function loginPage({ clientName, loginName, problem }: LoginView): Page {
  const isWrong = problem !== undefined;
  const invalid = isWrong && html` aria-invalid="true" aria-describedby="problem-text"`;
  // A name that is there already is most likely right: the password is what to type next.
  const [nameFocus, passwordFocus] =
    loginName === "" ? [html` autofocus`, undefined] : [undefined, html` autofocus`];
  return {
    title: isWrong ? "Error: Sign in" : "Sign in",
    body: html`<h1>Sign in</h1>
<p class="quiet">to continue to ${clientName}</p>
${
  isWrong &&
  html`<div class="problem" role="alert" aria-labelledby="problem-title">
<h2 id="problem-title">You are not signed in</h2>
<p id="problem-text"><a href="#login-name">${problem}</a></p>
</div>
`
}<form method="post">
<label for="login-name">Login name</label>
<input id="login-name" name="login_name" type="text" value="${loginName}" required maxlength="128"
  autocomplete="username" autocapitalize="none" spellcheck="false"${invalid}${nameFocus}>
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="256"
  autocomplete="current-password"${invalid}${passwordFocus}>
<div class="buttons">
<button name="act" value="sign-in">Sign in</button>
<button class="second" name="act" value="cancel" formnovalidate>Cancel</button>
</div>
</form>`,
  };
}
