/**
 * The pages on which people sign in and consent. Each interaction has an address of its own, known
 * to one browser.
 *
 * Other sites cannot send their forms: the address contains 256 random bits, which must equal those
 * in a cookie that browsers do not send with a form of another site.
 */
import type { Counter } from "@prometheus-io/client";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { readForm } from "../http/read-form.ts";
import { splitPath } from "../http/routes.ts";
import type { ProviderSignIn } from "../identity-provider/begin.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { providerPaths } from "../model/paths.ts";
import { errors } from "../overrides/library.ts";
import { findEndedRequest } from "../store/ended-interactions.ts";
import { consentStep } from "./consent.ts";
import { loginStep } from "./login.ts";
import type { PasswordSignIn } from "./password-sign-in.ts";
import { selectAccountStep } from "./select-account.ts";
import type { Step } from "./step.ts";

/** Serves the pages. The prompt of an interaction selects the step. */
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
}) {
  const { provider } = options;
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
    const result = await step.submit(ctx, interaction, form);
    if (result === undefined) return;
    const returnTo = await provider.interactionResult(ctx.req, ctx.res, result, {
      mergeWithLastSubmission: true,
    });
    ctx.status = 303;
    ctx.redirect(returnTo);
  };

  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    const [, uid] = splitPath(ctx.path);
    try {
      await answer(ctx, uid);
    } catch (error) {
      const isOver = error instanceof errors.SessionNotFound;
      if (!isOver || !(await goOnAgain(ctx, options))) throw error;
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
