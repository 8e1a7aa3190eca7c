/** The step in which a person signs in. */
import type { Counter } from "@prometheus-io/client";
import type Provider from "oidc-provider";
import { subjectOf } from "../model/subjects.ts";
import { answerPage, type Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { declined, requestingClient, type Step } from "./step.ts";

/** What the step needs. */
interface LoginOptions {
  provider: Provider;
  signIn: PasswordSignIn;
  /** Counts the forms that people submit. */
  signIns: Counter<"result">;
}

/** The step for the prompt `login`. */
export function loginStep({ provider, signIn, signIns }: LoginOptions): Step {
  return {
    async show(ctx, interaction) {
      const hint = interaction.params.login_hint;
      const client = await requestingClient(provider, interaction);
      const loginName = typeof hint === "string" ? hint : "";
      answerPage(ctx, 200, loginPage(client.name, { loginName }));
    },
    async submit(ctx, interaction, form) {
      if (form.get("act") === "cancel") {
        signIns.inc({ result: "cancelled" });
        return declined;
      }
      const client = await requestingClient(provider, interaction);
      const loginName = form.get("login_name") ?? "";
      const organisationId = client.isForAnyOrganisation ? undefined : client.organisationId;
      const outcome = await signIn(ctx, {
        loginName,
        organisationId,
        clientId: client.clientId,
        password: form.get("password") ?? "",
      });
      if ("problem" in outcome) {
        answerPage(ctx, outcome.status, loginPage(client.name, { loginName, ...outcome }));
        return undefined;
      }
      const { account, ts } = outcome;
      return { login: { accountId: subjectOf(account.accountId), amr: ["pwd"], ts } };
    },
  };
}

/** What the page shows. */
interface LoginView {
  /** The value of the field. */
  loginName: string;
  /** Why the last attempt failed. */
  problem?: string;
  /** Proves that a form is ours, for the page of the account. Interactions need none. */
  secret?: string;
}

/** The page on which people sign in. */
export function loginPage(clientName: string, view: LoginView): Page {
  const { loginName, problem, secret } = view;
  const isWrong = problem !== undefined;
  const invalid = isWrong && html` aria-invalid="true" aria-describedby="problem-text"`;
  // If the name is filled in, people type the password next.
  const [nameFocus, passwordFocus] =
    loginName === "" ? [html` autofocus`, undefined] : [undefined, html` autofocus`];
  return {
    title: isWrong ? "Error: Sign in" : "Sign in",
    ...(secret === undefined && { leadsBack: true }),
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
${secret && html`<input type="hidden" name="secret" value="${secret}">`}
<label for="login-name">Login name</label>
<input id="login-name" name="login_name" type="text" value="${loginName}" required maxlength="128"
  autocomplete="username" autocapitalize="none" spellcheck="false"${invalid}${nameFocus}>
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="256"
  autocomplete="current-password"${invalid}${passwordFocus}>
<div class="buttons">
<button name="act" value="sign-in">Sign in</button>
${
  secret === undefined &&
  html`<button class="second" name="act" value="cancel" formnovalidate>Cancel</button>\n`
}</div>
</form>`,
  };
}
