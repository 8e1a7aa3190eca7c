/** The pages for people, put together. */

import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type { Interaction, InteractionResults, KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import type { BoundedWork } from "../limits/bounded-work.ts";
import type { RequestRate } from "../limits/request-rate.ts";
import { providerPaths } from "../model/paths.ts";
import { BusyError, isOutage } from "../overrides/error-answers.ts";
import { errors } from "../overrides/library.ts";
import { answerPage, messagePage } from "../pages/answer-page.ts";
import { findAccount, findAccountByLoginName } from "../store/accounts.ts";
import { storeConsents } from "../store/consents.ts";
import { authenticator } from "./authenticate.ts";
import { consentStep } from "./consent.ts";
import { loginStep } from "./login.ts";

/** How often one address, and anybody for one account, may fail to sign in. */
export interface LoginRates {
  address: RequestRate;
  account: RequestRate;
}

/** Makes the middleware. */
export function signInPages(options: {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  pool: pg.Pool;
  hashing: BoundedWork;
  loginRates: LoginRates;
  logger: Logger;
}) {
  const { pool, hashing, loginRates: rates } = options;
  const authenticate = authenticator({
    findAccountByLoginName: (loginName) => findAccountByLoginName(pool, loginName),
    hashing,
  });
  const steps = {
    login: loginStep({ ...options, authenticate, rates }),
    consent: consentStep({
      ...options,
      findAccount: (accountId) => findAccount(pool, accountId),
      storeConsents: (...consents) => storeConsents(pool, ...consents),
    }),
  };
  return interactionPages({ ...options, steps });
}

/** What one of the pages does. */
export interface Step {
  /** Shows the page. */
  show(ctx: KoaContextWithOIDC, interaction: Interaction): Promise<void>;
  /**
   * Takes what was entered. Gives the outcome, with which the client's request goes on; undefined
   * when it has shown the page again.
   */
  take(
    ctx: KoaContextWithOIDC,
    interaction: Interaction,
    form: URLSearchParams,
  ): Promise<InteractionResults | undefined>;
}

/** Middleware: serves the pages, each by the name of its prompt. */
export function interactionPages(options: {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  steps: Readonly<Record<string, Step>>;
  logger: Logger;
}) {
  const { provider, steps, logger } = options;
  const { origin } = new URL(options.authUrl);

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    const [base, uid] = splitPath(ctx.path);
    if (base !== providerPaths.interaction) {
      await next();
      return;
    }
    try {
      const interaction = await provider.interactionDetails(ctx.req, ctx.res);
      const step = steps[interaction.prompt.name];
      if (interaction.uid !== uid || step === undefined) throw new errors.SessionNotFound("none");
      if (ctx.method !== "POST") return await step.show(ctx, interaction);
      const form = await readForm(ctx.req, origin);
      if (form === undefined) return answerPage(ctx, 403, foreignForm);
      const result = await step.take(ctx, interaction, form);
      if (result === undefined) return;
      const goOn = await provider.interactionResult(ctx.req, ctx.res, result, {
        mergeWithLastSubmission: true,
      });
      ctx.status = 303;
      ctx.redirect(goOn);
    } catch (error) {
      answerFailure(ctx, error as Error, logger);
    }
  };
}

function splitPath(path: string): [string, string] {
  const slash = path.lastIndexOf("/");
  return [path.slice(0, slash), path.slice(slash + 1)];
}

const goBack = "Go back to where you came from, and begin again.";
const expired = messagePage("This page has expired", goBack);
const foreignForm = messagePage("This form comes from elsewhere", goBack);
const busy = messagePage("Too many people are signing in", "Please try again in a moment.");
const failed = messagePage("This does not work at the moment", "Please try again in a moment.");

/** Tells people what they can do, and only the log why. */
function answerFailure(ctx: KoaContextWithOIDC, error: Error, logger: Logger): void {
  if (error instanceof errors.SessionNotFound) {
    answerPage(ctx, 400, expired);
  } else if (error instanceof BusyError) {
    ctx.set("Retry-After", String(error.retryAfterSeconds));
    answerPage(ctx, error.statusCode, busy);
  } else {
    logger.error({ err: error, path: providerPaths.interaction }, "cannot answer a request");
    const isAway = isOutage(error);
    if (isAway) ctx.set("Retry-After", "1");
    answerPage(ctx, isAway ? 503 : 500, failed);
  }
}

/** Gives the fields; undefined when a page of another origin, or no form, has sent them. */
export async function readForm(
  request: IncomingMessage,
  ownOrigin: string,
): Promise<URLSearchParams | undefined> {
  const { origin, "sec-fetch-site": site, "content-type": type } = request.headers;
  const isOwn = (origin ?? ownOrigin) === ownOrigin && (site ?? "same-origin") === "same-origin";
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? "");
  return isOwn && isForm ? new URLSearchParams(await text(request)) : undefined;
}
