/** `GET /session`: who is signed in; `POST /sign-out`: ends the session. */
import type { IncomingMessage } from "node:http";
import { errorText, type Logger } from "@stowage/process";
import { type Handle, sendJson } from "../http/answer.ts";
import type { Issuer } from "../issuer/issuer.ts";
import { removeCookie } from "../model/cookies.ts";
import { WebError } from "../model/web-error.ts";
import { checkRequest } from "../session/checks.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Tokens } from "../session/token-vault.ts";

interface SessionAnswerOptions {
  readonly issuer: Issuer;
  readonly sessions: Sessions;
  readonly logger: Logger;
}

/**
 * Answers with `name` (how the person is called: at least an identifier), `loginName` and `email`
 * (texts or null), and `expiresAt` (RFC 3339).
 */
export function showSession({ sessions }: Pick<SessionAnswerOptions, "sessions">): Handle {
  const { idleSecondsMax, ageSecondsMax } = sessions.options;
  return async (request, response) => {
    using open = await sessions.open(request, "session");
    const { subject, loginName, email, ageSeconds } = open.session;
    const name = open.session.name ?? loginName ?? email ?? subject;
    const secondsLeft = Math.min(idleSecondsMax, ageSecondsMax - ageSeconds);
    const expiresAt = new Date(Date.now() + secondsLeft * 1000).toISOString();
    sendJson(response, { name, loginName, email, expiresAt });
  };
}

/**
 * Ends the session here, revokes its refresh token, and answers with the `url` at which the browser
 * signs out of the issuer (OpenID Connect RP-Initiated Logout 1.0), even if the session here is
 * over already: that of the issuer may last longer. If the issuer cannot be asked where, that is
 * an error, since the next sign-in would need no password. The request may be repeated.
 */
export function signOut(options: SessionAnswerOptions): Handle {
  const { issuer, sessions } = options;
  return async (request, response) => {
    const tokens = await endSession(request, sessions);
    const removed = { "Set-Cookie": removeCookie(sessions.options.cookieName) };
    if (tokens !== undefined) await revoke(tokens, options);
    const url = await endSessionUrl(issuer, tokens?.idToken);
    sendJson(response, { url }, removed);
  };
}

/** Returns its tokens; undefined if it had ended before. Who is signed out need not be told. */
async function endSession(
  request: IncomingMessage,
  sessions: Sessions,
): Promise<Tokens | undefined> {
  try {
    return await sessions.end(checkRequest("session", request.headers, sessions.options));
  } catch (error) {
    const isOver =
      error instanceof WebError && ["SESSION_MISSING", "SESSION_ENDED"].includes(error.reason);
    if (isOver) return undefined;
    throw error;
  }
}

/** The session has ended anyway. The token expires in the end if the issuer cannot be reached. */
async function revoke(
  { refreshToken }: Tokens,
  { issuer, logger }: SessionAnswerOptions,
): Promise<void> {
  await issuer
    .revoke(refreshToken)
    .catch((error) => logger.warn({ reason: errorText(error) }, "cannot revoke a refresh token"));
}

/** Without an ID token the issuer does not know whom it signs out, and asks. */
async function endSessionUrl(issuer: Issuer, idToken: string | undefined): Promise<string> {
  const { clientId, redirectUri } = issuer.options;
  const { end_session_endpoint: endpoint } = await issuer.metadata();
  if (endpoint === undefined) return "/";
  const url = new URL(endpoint);
  if (idToken !== undefined) url.searchParams.set("id_token_hint", idToken);
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("post_logout_redirect_uri", new URL("/", redirectUri).href);
  return url.href;
}
