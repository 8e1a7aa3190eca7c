/** Signs people out at both sides: here when they do so there, and there when they do so here. */
import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { errorText, inTransaction, type Logger } from "@stowage/process";
import type { KoaContextWithOIDC } from "oidc-provider";
import * as openid from "openid-client";
import type pg from "pg";
import { providerPaths } from "../model/paths.ts";
import { isOfProvider, providerAcr } from "../model/session.ts";
import { answerPage, messagePage } from "../pages/answer-page.ts";
import { recordEvent } from "../store/audit-events.ts";
import { endAccess } from "../store/end-access.ts";
import { findSessionsOfProvider, signOutIdentity } from "../store/provider-accounts.ts";
import { storeRecord, takeRecord } from "../store/provider-records.ts";
import type { Discover } from "./discover.ts";
import { InvalidTokenError, type TokenReader } from "./read-token.ts";
import { isUnavailable } from "./requests.ts";
import type { IdentityProvider } from "./settings.ts";

/** What logouts need. */
interface LogoutOptions {
  identityProvider: IdentityProvider;
  discover: Discover;
  reader: TokenReader;
  /** The issuer: this service. */
  authUrl: string;
  pool: pg.Pool;
  logger: Logger;
}

const model = "ProviderSignOut";

/** How long a person may take to sign out there. */
const wayBackSeconds = 600;

/** Serves the addresses that the provider calls, and leads back to. */
export function providerLogoutPages(options: LogoutOptions) {
  const { pool } = options;
  return {
    [providerPaths.providerLogout]: (ctx: KoaContextWithOIDC) => endByToken(ctx, options),
    async [providerPaths.providerSignedOut](ctx: KoaContextWithOIDC) {
      const found = await takeRecord(pool, { model, id: String(ctx.query.state ?? "") });
      if (found === undefined) return answerPage(ctx, 200, signedOutPage);
      ctx.status = 303;
      ctx.redirect(String(found.returnTo));
    },
  };
}

/** Middleware: adds the provider to logouts. */
export function providerLogout(options: LogoutOptions) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    await goToProvider(ctx, options);
  };
}

const signedOutPage = messagePage("You are signed out", "You can close this page.");

/** Leads a person who has signed out here to the provider, which leads back to where they went. */
async function goToProvider(ctx: KoaContextWithOIDC, options: LogoutOptions): Promise<void> {
  const { session, route } = ctx.oidc ?? {};
  const isEnded = (session as { destroyed?: boolean } | undefined)?.destroyed === true;
  const isOver = route === "end_session_confirm" && ctx.status === 303 && isEnded;
  if (!isOver || session === undefined || !isOfProvider(session)) return;
  const { discover, authUrl, pool, logger } = options;
  try {
    const { configuration } = await discover();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return;
    const state = randomBytes(32).toString("base64url");
    const payload = JSON.stringify({ returnTo: ctx.response.get("Location") });
    await storeRecord(pool, { model, id: state, payload, expiresInSeconds: wayBackSeconds });
    const url = openid.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: authUrl + providerPaths.providerSignedOut,
      state,
    });
    ctx.redirect(url.href);
  } catch (error) {
    // The person has signed out here, and goes on.
    logger.warn({ reason: errorText(error) }, "cannot sign a person out at the other provider");
  }
}

/** Ends what a logout token of the provider names (Back-Channel Logout 1.0 section 2.6). */
async function endByToken(ctx: KoaContextWithOIDC, options: LogoutOptions): Promise<void> {
  const { identityProvider, reader, pool, logger } = options;
  const { issuer } = identityProvider;
  ctx.set("Cache-Control", "no-store");
  try {
    const form = new URLSearchParams(await text(ctx.req));
    const { sub, sid } = await reader.readLogoutToken(form.get("logout_token") ?? "");
    if (sid !== undefined) await endSessions(sid, options, ctx.ip);
    else await signOutIdentity(pool, { issuer, subject: String(sub) });
    logger.info({ address: ctx.ip }, "the other provider has ended a session");
    ctx.status = 200;
    ctx.body = "";
  } catch (error) {
    const isLater = isUnavailable(error);
    if (!isLater && !(error instanceof InvalidTokenError)) throw error;
    logger.warn({ address: ctx.ip, reason: errorText(error) }, "refused a logout token");
    ctx.status = isLater ? 503 : 400;
    ctx.body = { error: isLater ? "temporarily_unavailable" : "invalid_request" };
  }
}

async function endSessions(sid: string, { pool }: LogoutOptions, address: string): Promise<void> {
  for (const { sessionUid, subject } of await findSessionsOfProvider(pool, providerAcr(sid))) {
    await inTransaction(pool, (connection) => endAccess(connection, { sessionUid }));
    const details = { sessionUid, by: "provider" };
    await recordEvent(pool, { kind: "session_ended", subject, address, details });
  }
}
