/** The step in which a person chooses the account to continue with (`prompt=select_account`). */
import type Provider from "oidc-provider";
import type { Interaction } from "oidc-provider";
import type pg from "pg";
import { accountIdOf } from "../model/subjects.ts";
import { answerPage, type Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";
import { findAccount } from "../store/accounts.ts";
import { requestingClient, type Step } from "./step.ts";

/** What the step needs. */
interface SelectAccountOptions {
  provider: Provider;
  pool: pg.Pool;
  /** The step for signing in with another account. */
  login: Step;
}

/** The step for the prompt `select_account`. A browser has one session: there are two choices. */
export function selectAccountStep({ provider, pool, login }: SelectAccountOptions): Step {
  const signedIn = async ({ session }: Interaction) => {
    const accountId = accountIdOf(session?.accountId ?? "");
    return accountId === undefined ? undefined : await findAccount(pool, accountId);
  };

  return {
    async show(ctx, interaction) {
      const account = await signedIn(interaction);
      if (account === undefined) return await login.show(ctx, interaction);
      const { name } = await requestingClient(provider, interaction);
      answerPage(ctx, 200, selectAccountPage(name, account.loginName));
    },
    async submit(ctx, interaction, form) {
      const act = form.get("act");
      if (act === "continue") return { select_account: {} };
      if (act === "other") return void (await login.show(ctx, interaction));
      const result = await login.submit(ctx, interaction, form);
      return result?.login === undefined ? result : { ...result, select_account: {} };
    },
  };
}

function selectAccountPage(clientName: string, loginName: string): Page {
  return {
    title: "Choose an account",
    leadsBack: true,
    body: html`<h1>Choose an account</h1>
<p class="quiet">to continue to ${clientName}</p>
<form method="post">
<div class="buttons">
<button name="act" value="continue">Continue as ${loginName}</button>
<button class="second" name="act" value="other">Use another account</button>
</div>
</form>`,
  };
}
