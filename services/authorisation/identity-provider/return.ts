/** Where the provider sends people back to: checks what it says, and signs them in. */
import type { Counter } from "@prometheus-io/client";
import { errorText, type Logger } from "@stowage/process";
import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import * as openid from "openid-client";
import type pg from "pg";
import { registeredClient } from "../grants/registered-client.ts";
import { type BrowserCookie, beginSession } from "../http/cookies.ts";
import type { Lifetimes } from "../model/lifetimes.ts";
import { basePathOf, providerPaths } from "../model/paths.ts";
import { providerAcr } from "../model/session.ts";
import { subjectOf } from "../model/subjects.ts";
import { errors } from "../overrides/library.ts";
import { answerPage } from "../pages/answer-page.ts";
import { html } from "../pages/html.ts";
import type { StoredAccount } from "../store/accounts.ts";
import { accountOf } from "./account.ts";
import { type BegunSignIn, takeBegun, unreachable } from "./begin.ts";
import type { Discover } from "./discover.ts";
import { NoAccessError } from "./groups.ts";
import type { IdTokenClaims, TokenReader } from "./read-token.ts";
import { isUnavailable } from "./requests.ts";
import type { IdentityProvider } from "./settings.ts";

/** What the return needs. */
export interface ReturnOptions {
  provider: Provider;
  identityProvider: IdentityProvider;
  discover: Discover;
  reader: TokenReader;
  /** The issuer: this service. */
  authUrl: string;
  /** This address. */
  redirectUri: string;
  /** The cookie of the sign-in, and that of the session. */
  cookie: BrowserCookie;
  browserCookie: BrowserCookie;
  lifetimes: Lifetimes;
  signIns: Counter<"result">;
  pool: pg.Pool;
  logger: Logger;
}

/** Serves the address. */
export function providerReturn(options: ReturnOptions) {
  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    const begun = await takeBegun(ctx, options);
    if (begun === undefined) throw new errors.SessionNotFound("no sign-in has begun here");
    await signInOrRefuse(ctx, begun, options);
  };
}

async function signInOrRefuse(
  ctx: KoaContextWithOIDC,
  begun: BegunSignIn,
  options: ReturnOptions,
): Promise<void> {
  const { identityProvider, authUrl, signIns, logger } = options;
  const { uid } = begun;
  const { interaction, account } = providerPaths;
  const back = basePathOf(authUrl) + (uid ? `${interaction}/${uid}` : account);
  try {
    const returnTo = (await signIn(ctx, begun, options)) ?? back;
    signIns.inc({ result: "accepted" });
    ctx.set("Cache-Control", "no-store");
    ctx.status = 303;
    ctx.redirect(returnTo);
  } catch (error) {
    const failure = failureOf(error, identityProvider.name, new URL(authUrl).host);
    if (failure === undefined) throw error;
    signIns.inc({ result: "refused" });
    const reason = errorText(error);
    logger.warn({ address: ctx.ip, reason }, "refused a sign-in at the other provider");
    show(ctx, failure, back);
  }
}

/** Signs the person in. Returns where an interaction goes on. */
async function signIn(
  ctx: KoaContextWithOIDC,
  begun: BegunSignIn,
  options: ReturnOptions,
): Promise<string | undefined> {
  const { pool } = options;
  // Before anything is read: the account may be signed out meanwhile.
  const ts = Math.floor(Date.now() / 1000);
  const claims = await claimsOf(ctx, begun, options).catch((cause) => {
    const { error, error_description: description } = cause as Record<string, unknown>;
    const said = error ? `the provider says ${error} (${description})` : "the answer is not valid";
    throw new UnusableAnswerError(said, { cause });
  });
  const { groupsClaim } = options.identityProvider;
  const account = await accountOf(claims, { pool, groupsClaim, signedInAt: ts, address: ctx.ip });
  const acr = providerAcr(typeof claims.sid === "string" ? claims.sid : undefined);
  if (begun.uid !== undefined) return await finish(begun.uid, account, { ts, acr }, options);
  await beginSession(ctx, options, { accountId: account.accountId, ts, acr });
  return undefined;
}

/** The claims of the ID token, which the provider gives for the code. */
async function claimsOf(
  ctx: KoaContextWithOIDC,
  { nonce, verifier }: BegunSignIn,
  { discover, reader, redirectUri, identityProvider }: ReturnOptions,
): Promise<IdTokenClaims> {
  const { configuration } = await discover();
  const url = new URL(redirectUri + ctx.search);
  const tokens = await openid.authorizationCodeGrant(configuration, url, {
    expectedState: String(ctx.query.state),
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  return await reader.readIdToken(String(tokens.id_token), [identityProvider.clientId]);
}

/** Hands the sign-in to the interaction. Returns where that goes on. */
async function finish(
  uid: string,
  { accountId, organisationId }: StoredAccount,
  how: { ts: number; acr: string },
  { provider }: ReturnOptions,
): Promise<string> {
  const interaction = await provider.Interaction.find(uid);
  const client = await provider.Client.find(String(interaction?.params.client_id));
  if (!interaction || !client) throw new errors.SessionNotFound("the sign-in has ended");
  const asking = registeredClient(client);
  // The library would ask again and again.
  if (!asking.isForAnyOrganisation && asking.organisationId !== organisationId) {
    throw new NoAccessError(
      `${client.clientName ?? client.clientId} is for people of another organisation.`,
      `the client is for ${asking.organisationId}, the person of ${organisationId}`,
    );
  }
  interaction.result = {
    ...interaction.lastSubmission,
    ...(interaction.prompt.name === "select_account" && { select_account: {} }),
    login: { accountId: subjectOf(accountId), ...how },
  };
  await interaction.persist();
  return interaction.returnTo;
}

/** The provider has refused, does not answer, or has sent what is not valid. */
class UnusableAnswerError extends Error {
  override readonly name = "UnusableAnswerError";
}

interface Failure {
  status: number;
  title: string;
  texts: string[];
}

/** The page for the person; undefined: the error is not about the provider. The log has details. */
function failureOf(error: unknown, name: string, host: string): Failure | undefined {
  const operators = `the people who run ${host}`;
  if (error instanceof NoAccessError) {
    const texts = [`You are signed in at ${name}.`, error.reason, `Please ask ${operators}.`];
    return { status: 403, title: "You have no access", texts };
  }
  if (!(error instanceof UnusableAnswerError)) return undefined;
  const title = "You are not signed in";
  if (isUnavailable(error)) return { status: 503, title, texts: [unreachable(name)] };
  if ((error.cause as { error?: string }).error === "access_denied") {
    const texts = [`${name} says that you have cancelled, or that you may not use this service.`];
    return { status: 400, title, texts };
  }
  const texts = [`What ${name} has sent cannot be used.`, `If it stays so, tell ${operators}.`];
  return { status: 400, title, texts };
}

function show(ctx: KoaContextWithOIDC, { status, title, texts }: Failure, back: string): void {
  answerPage(ctx, status, {
    title,
    leadsBack: true,
    body: html`<h1>${title}</h1>
${texts.map((text) => html`<p>${text}</p>\n`)}<p><a href="${back}">Try again</a></p>`,
  });
}
