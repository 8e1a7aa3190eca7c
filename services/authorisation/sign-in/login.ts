/** The step in which a person signs in. */
import { randomUUID } from "node:crypto";
import type { Counter } from "@prometheus-io/client";
import type { Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import type { BoundedWork } from "../limits/bounded-work.ts";
import type { RequestRate } from "../limits/request-rate.ts";
import { hashPassword, normaliseLoginName, normalisePassword } from "../model/credentials.ts";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { subjectOf } from "../model/subjects.ts";
import { answerPage, type Page } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";
import { type Account, findAccountByLoginName } from "../store/accounts.ts";
import { type AskingClient, askingClient, declined, type Step } from "./step.ts";

/** How often sign-ins may fail: from one address, and to one account. */
export interface LoginRates {
  address: RequestRate;
  account: RequestRate;
}

/** What the step needs. */
interface LoginOptions {
  provider: Provider;
  pool: pg.Pool;
  /** Limits the comparisons of passwords. */
  hashing: BoundedWork;
  loginRates: LoginRates;
  /** Counts the forms that people submit. */
  signIns: Counter<"result">;
  logger: Logger;
}

/** The step for the prompt `login`. */
export function loginStep(options: LoginOptions): Step {
  const { provider, loginRates: rates, signIns, logger } = options;
  const authenticate = authenticator(options);
  // Counts before it compares the password, so that concurrent tries do not exceed the limit.
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
    async submit(ctx, interaction, form) {
      if (form.get("act") === "cancel") {
        signIns.inc({ result: "cancelled" });
        return declined;
      }
      const client = await askingClient(provider, interaction);
      const loginName = form.get("login_name") ?? "";
      const waitSeconds = await wait(ctx, loginName);
      if (waitSeconds > 0) {
        ctx.set("Retry-After", String(waitSeconds));
        signIns.inc({ result: "rate_limited" });
        logger.info({ address: ctx.ip }, "refused a sign-in: too many attempts");
        const problem = `There were too many attempts. Try again in ${waitSeconds} seconds.`;
        answer(ctx, 429, client, { loginName, problem });
        return undefined;
      }
      // The sign-in counts from now, not from the end of the comparison: the password may be
      // changed meanwhile (isSignInOver in provider/people.ts).
      const ts = Math.floor(Date.now() / 1000);
      const { organisationId } = client;
      const password = form.get("password") ?? "";
      const account = await authenticate({ loginName, password, organisationId });
      if (account === undefined) {
        signIns.inc({ result: "refused" });
        logger.info({ address: ctx.ip, clientId: client.clientId }, "refused a sign-in");
        const problem = "The login name or the password is wrong.";
        answer(ctx, 400, client, { loginName, problem });
        return undefined;
      }
      signIns.inc({ result: "accepted" });
      await giveBack(ctx, loginName);
      return { login: { accountId: subjectOf(account.accountId), amr: ["pwd"], ts } };
    },
  };
}

/** Different spellings of a login name count as one account. */
function accountKey(loginName: string): string {
  return normaliseLoginName(loginName) ?? "";
}

interface Claim {
  loginName: string;
  password: string;
  /** Accounts of other organisations count as unknown. */
  organisationId: string;
}

/**
 * Makes a function that checks a login name and a password. It takes as long for unknown names as
 * for known ones, and rejects with a BusyError when too many comparisons wait.
 */
function authenticator({ pool, hashing }: Pick<LoginOptions, "pool" | "hashing">) {
  const decoyHash = hashPassword(randomUUID());

  return async ({ loginName, password, organisationId }: Claim): Promise<Account | undefined> => {
    const name = normaliseLoginName(loginName);
    const found = name === undefined ? undefined : await findAccountByLoginName(pool, name);
    const account = found?.organisationId === organisationId ? found : undefined;
    const hash = account?.passwordHash ?? (await decoyHash);
    const matches = await hashing(() => matchesSecret(normalisePassword(password), hash));
    return matches ? account : undefined;
  };
}

/** What the page shows. */
interface LoginView {
  /** The value of the field. */
  loginName: string;
  /** Why the last attempt failed. */
  problem?: string;
}

function answer(
  ctx: KoaContextWithOIDC,
  status: number,
  client: AskingClient,
  view: LoginView,
): void {
  answerPage(ctx, status, loginPage(client.name, view), [client.redirectUri]);
}

function loginPage(clientName: string, { loginName, problem }: LoginView): Page {
  const isWrong = problem !== undefined;
  const invalid = isWrong && html` aria-invalid="true" aria-describedby="problem-text"`;
  // If the name is filled in, the password is what to type next.
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
