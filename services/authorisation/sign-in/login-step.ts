/** Signing in. */
import type { Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import { normaliseLoginName } from "../accounts/login-name.ts";
import { subjectOf } from "../accounts/subject.ts";
import { answerPage } from "../pages/answer-page.ts";
import { type AskingClient, askingClient } from "./asking-client.ts";
import type { Authenticate } from "./authenticate.ts";
import { declined } from "./declined.ts";
import type { Step } from "./interaction-pages.ts";
import { loginPage } from "./login-page.ts";
import type { LoginRates } from "./sign-in-pages.ts";

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
