/** The step in which a person signs in. */
import type { Counter } from "@prometheus-io/client";
import type Provider from "oidc-provider";
import type { Interaction, KoaContextWithOIDC } from "oidc-provider";
import type { ProviderSignIn } from "../identity-provider/begin.ts";
import { subjectOf } from "../model/subjects.ts";
import { answerPage, type Page } from "../pages/answer-page.ts";
import { type Html, html } from "../pages/html.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { declined, requestingClient, type Step } from "./step.ts";

/** What the step needs. */
interface LoginOptions {
  provider: Provider;
  signIn: PasswordSignIn;
  /** The way to another provider, if there is one. */
  otherSignIn: ProviderSignIn | undefined;
  /** Counts the forms that people submit. */
  signIns: Counter<"result">;
}

/** The step for the prompt `login`. */
export function loginStep({ provider, signIn, signIns, otherSignIn }: LoginOptions): Step {
  const hintOf = ({ params }: Interaction) => params.login_hint as string | undefined;
  const goToProvider = (ctx: KoaContextWithOIDC, interaction: Interaction) => {
    const { uid, prompt } = interaction;
    const isAnew = prompt.reasons.some((reason) => anew.includes(reason));
    const choice = prompt.name === "select_account" ? "select_account" : undefined;
    const loginHint = hintOf(interaction);
    return otherSignIn?.begin(ctx, { uid, loginHint, prompt: isAnew ? "login" : choice });
  };

  return {
    async show(ctx, interaction) {
      const client = await requestingClient(provider, interaction);
      const isOnlyWay = await otherSignIn?.isOnlyWay();
      const problem = isOnlyWay ? await goToProvider(ctx, interaction) : undefined;
      if (isOnlyWay && problem === undefined) return;
      const view = { loginName: hintOf(interaction) ?? "", problem, isOnlyWay, otherSignIn };
      answerPage(ctx, problem === undefined ? 200 : 503, loginPage(client.name, view));
    },
    async submit(ctx, interaction, form) {
      if (form.get("act") === "cancel") {
        signIns.inc({ result: "cancelled" });
        return declined;
      }
      const client = await requestingClient(provider, interaction);
      const loginName = form.get("login_name") ?? "";
      if (form.get("act") === "provider") {
        const problem = await goToProvider(ctx, interaction);
        if (problem === undefined) return undefined;
        answerPage(ctx, 503, loginPage(client.name, { loginName, problem, otherSignIn }));
        return undefined;
      }
      const organisationId = client.isForAnyOrganisation ? undefined : client.organisationId;
      const outcome = await signIn(ctx, {
        loginName,
        organisationId,
        clientId: client.clientId,
        password: form.get("password") ?? "",
      });
      if ("problem" in outcome) {
        const view = { loginName, otherSignIn, ...outcome };
        answerPage(ctx, outcome.status, loginPage(client.name, view));
        return undefined;
      }
      const { account, ts } = outcome;
      return { login: { accountId: subjectOf(account.accountId), amr: ["pwd"], ts } };
    },
  };
}

/** The reasons for which a person who is signed in must sign in anew. */
const anew = ["login_prompt", "max_age", "id_token_hint"];

/** What the page shows. */
interface LoginView {
  /** The value of the field. */
  loginName: string;
  /** Why the last attempt failed. */
  problem?: string | undefined;
  /** The other provider, and whether passwords are of no use. */
  otherSignIn?: Pick<ProviderSignIn, "name"> | undefined;
  isOnlyWay?: boolean | undefined;
  /** Proves that a form is ours, for the page of the account. Interactions need none. */
  secret?: string;
}

/** The page on which people sign in. */
export function loginPage(clientName: string, view: LoginView): Page {
  const { problem, secret, otherSignIn, isOnlyWay } = view;
  const isWrong = problem !== undefined;
  const hidden = html`${secret && html`<input type="hidden" name="secret" value="${secret}">\n`}`;
  return {
    title: isWrong ? "Error: Sign in" : "Sign in",
    ...(secret === undefined && { leadsBack: true }),
    body: html`<h1>Sign in</h1>
<p class="quiet">to continue to ${clientName}</p>
${
  isWrong &&
  html`<div class="problem" role="alert" aria-labelledby="problem-title">
<h2 id="problem-title">You are not signed in</h2>
<p id="problem-text">${isOnlyWay ? problem : html`<a href="#login-name">${problem}</a>`}</p>
</div>
`
}${!isOnlyWay && passwordForm(view, hidden)}${
  otherSignIn &&
  html`<form method="post">
${hidden}<div class="buttons">
<button${!isOnlyWay && html` class="second"`} name="act" value="provider">Sign in with ${
    otherSignIn.name
  }</button>
</div>
</form>`
}`,
  };
}

function passwordForm({ loginName, problem, secret }: LoginView, hidden: Html): Html {
  const isWrong = problem !== undefined;
  const invalid = isWrong && html` aria-invalid="true" aria-describedby="problem-text"`;
  // If the name is filled in, people type the password next.
  const [nameFocus, passwordFocus] =
    loginName === "" ? [html` autofocus`, undefined] : [undefined, html` autofocus`];
  return html`<form method="post">
${hidden}
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
</form>
`;
}
