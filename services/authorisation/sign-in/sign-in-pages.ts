/**
 * The pages on which people sign in and consent. Each interaction has an address of its own, known
 * to one browser.
 *
 * Other sites cannot send their forms: the address contains 256 random bits, which must equal those
 * in a cookie that browsers do not send with a form of another site.
 */
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Counter } from "@prometheus-io/client";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { isOutage, type ReportFault } from "../http/error-answers.ts";
import type { ProviderSignIn } from "../identity-provider/begin.ts";
import { BusyError } from "../limits/busy-error.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { providerPaths } from "../model/paths.ts";
import { errors } from "../overrides/library.ts";
import { answerPage, messagePage } from "../pages/answer-page.ts";
import { findEndedRequest } from "../store/ended-interactions.ts";
import { consentStep } from "./consent.ts";
import { loginStep } from "./login.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { selectAccountStep } from "./select-account.ts";
import type { Step } from "./step.ts";

/** Middleware: serves the pages. The prompt of an interaction selects the step. */
export function signInPages(options: {
  provider: Provider;
  /** The issuer. */
  authUrl: string;
  pool: pg.Pool;
  lifetimes: Lifetimes;
  /** Revokes a grant with everything that rests on it. */
  revokeGrant: (grantId: string) => Promise<void>;
  signIn: PasswordSignIn;
  /** The way to another provider, if there is one. */
  otherSignIn: ProviderSignIn | undefined;
  signIns: Counter<"result">;
  reportFault: ReportFault;
}) {
  const { provider, reportFault } = options;
  const { origin } = new URL(options.authUrl);
  const login = loginStep(options);
  const steps: Readonly<Record<string, Step>> = {
    select_account: selectAccountStep({ ...options, login }),
    login,
    consent: consentStep(options),
  };

  const answer = async (ctx: KoaContextWithOIDC, uid: string): Promise<void> => {
    const interaction = await provider.interactionDetails(ctx.req, ctx.res);
    const step = steps[interaction.prompt.name];
    if (interaction.uid !== uid || step === undefined) throw new errors.SessionNotFound("none");
    if (ctx.method !== "POST") return await step.show(ctx, interaction);
    const form = await readForm(ctx.req, origin);
    if (form === undefined) return answerPage(ctx, 403, foreignForm);
    const result = await step.submit(ctx, interaction, form);
    if (result === undefined) return;
    const returnTo = await provider.interactionResult(ctx.req, ctx.res, result, {
      mergeWithLastSubmission: true,
    });
    ctx.status = 303;
    ctx.redirect(returnTo);
  };

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    const [base, uid] = splitPath(ctx.path);
    if (base !== providerPaths.interaction) {
      await next();
      return;
    }
    try {
      await answer(ctx, uid);
    } catch (error) {
      const isOver = error instanceof errors.SessionNotFound;
      if (!isOver || !(await goOnAgain(ctx, options))) {
        answerFailure(ctx, error as Error, reportFault);
      }
    }
  };
}

/** Goes on with the request of an interaction that has ended. Returns false if there is none. */
export async function goOnAgain(
  ctx: KoaContextWithOIDC,
  { pool, authUrl }: { pool: pg.Pool; authUrl: string },
): Promise<boolean> {
  const [, uid] = splitPath(ctx.path);
  const request = await findEndedRequest(pool, uid);
  if (request === undefined) return false;
  ctx.status = 303;
  ctx.redirect(`${authUrl}${providerPaths.authorization}?${request}`);
  return true;
}

function splitPath(path: string): [string, string] {
  const slash = path.lastIndexOf("/");
  return [path.slice(0, slash), path.slice(slash + 1)];
}

/** The fields of a form; undefined if another origin sent it, or if it is not a form. */
export async function readForm(
  request: IncomingMessage,
  ownOrigin: string,
): Promise<URLSearchParams | undefined> {
  const { origin, "sec-fetch-site": site, "content-type": type } = request.headers;
  const isOwn = (origin ?? ownOrigin) === ownOrigin && (site ?? "same-origin") === "same-origin";
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? "");
  return isOwn && isForm ? new URLSearchParams(await text(request)) : undefined;
}

const goBack = "Go back to where you came from, and begin again.";
const expired = messagePage("This page has expired", goBack);
export const foreignForm = messagePage("This form comes from elsewhere", goBack);
const busy = messagePage("Too many people are signing in", "Please try again in a moment.");
const failed = messagePage("This does not work at the moment", "Please try again in a moment.");

/** Tells people what they can do. Only the log has the cause. */
export function answerFailure(
  ctx: KoaContextWithOIDC,
  error: Error,
  reportFault: ReportFault,
): void {
  if (error instanceof errors.SessionNotFound) {
    answerPage(ctx, 400, expired);
  } else if (error instanceof BusyError) {
    ctx.set("Retry-After", String(error.retryAfterSeconds));
    answerPage(ctx, error.statusCode, busy);
  } else {
    const [base] = splitPath(ctx.path);
    reportFault(error, { path: base || ctx.path });
    if (isOutage(error)) ctx.set("Retry-After", "1");
    answerPage(ctx, isOutage(error) ? 503 : 500, failed);
  }
}
