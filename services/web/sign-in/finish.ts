/** `GET /signed-in`: the browser comes back from the issuer with a code. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorText, type Logger } from "@stowage/process";
import * as oauth from "oauth4webapi";
import { type Handle, redirect, sendPage } from "../http/answer.ts";
import { GrantRefusedError, type Issuer } from "../issuer/issuer.ts";
import { readCookies, storeCookie } from "../model/cookies.ts";
import { isSessionId } from "../model/session-id.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Person, StoredSession } from "../store/sessions.ts";
import type { PendingSignIn, PendingSignIns } from "./pending.ts";

type SignInResult = "signed_in" | "declined" | "refused";

interface FinishOptions {
  readonly issuer: Issuer;
  readonly pending: PendingSignIns;
  readonly sessions: Sessions;
  /** The page's own origin. */
  readonly origin: string;
  readonly count: (result: SignInResult) => void;
  readonly logger: Logger;
}

/** The checks of an answer, in order. A browser that fails one learns only that it failed. */
export function finishSignIn(options: FinishOptions): Handle {
  const { pending, origin, count, logger } = options;

  return async (request, response) => {
    const url = new URL(request.url ?? "/", origin);
    const [state = "", ...otherStates] = url.searchParams.getAll("state");
    // 1. This browser began the sign-in, not long ago, and it is the only one of this state.
    const signIn =
      otherStates.length === 0 ? pending.find(state, request.headers.cookie) : undefined;
    if (signIn === undefined) {
      count("refused");
      sendPage(response, 400, notBegun);
      return;
    }
    const cookies = [pending.remove(state)];
    try {
      cookies.push(await signedIn(url, signIn, request, options));
    } catch (error) {
      const code = issuerErrorOf(error);
      if (code === undefined && !isRefusal(error)) throw error;
      count(code === declined ? "declined" : "refused");
      logger.info({ reason: errorText(error) }, "a sign-in failed");
      sendPage(response, 400, failed(signIn, code), { "Set-Cookie": cookies });
      return;
    }
    count("signed_in");
    finish(response, signIn, cookies);
  };
}

/** Returns the value of `Set-Cookie` for the new session. */
async function signedIn(
  url: URL,
  { state, nonce, codeVerifier }: PendingSignIn,
  request: IncomingMessage,
  options: FinishOptions,
): Promise<string> {
  const { issuer, sessions } = options;
  // 2. The answer is for this state, from this issuer (RFC 9207), and no error.
  const metadata = await issuer.metadata();
  const parameters = oauth.validateAuthResponse(metadata, issuer.client, url, state);
  // 3. The issuer accepts the code with our secret and the verifier of PKCE, and the ID token is
  // signed by the issuer, for this client, with this nonce, and not expired.
  const { grant, claims } = await issuer.exchangeCode(parameters, { nonce, codeVerifier });
  // 4. There is a refresh token: otherwise the session would end with the access token.
  const { accessToken, refreshToken, idToken, expiresInSeconds: lifetimeSeconds } = grant;
  if (refreshToken === undefined) throw new GrantRefusedError("there is no refresh token");
  // 5. A session ID from before the sign-in is worth nothing afterwards (fixation).
  const { cookieName, ageSecondsMax } = sessions.options;
  const tokens = { accessToken, refreshToken, idToken, lifetimeSeconds };
  const { id, ended } = await sessions.begin(personOf(claims), tokens, {
    accessSeconds: lifetimeSeconds,
    formerIds: sessionIdsOf(request, cookieName),
  });
  await revokeEnded(ended, options);
  return storeCookie(cookieName, id, ageSecondsMax);
}

/** A failure does not undo the sign-in: the tokens expire by themselves. */
async function revokeEnded(
  ended: readonly StoredSession[],
  { issuer, sessions, logger }: FinishOptions,
): Promise<void> {
  try {
    const tokens = await sessions.revocableTokens(ended);
    await Promise.all(tokens.map((each) => issuer.revoke(each.refreshToken)));
  } catch (error) {
    logger.warn({ reason: errorText(error) }, "cannot revoke the tokens of ended sessions");
  }
}

function sessionIdsOf({ headers }: IncomingMessage, cookieName: string): string[] {
  return readCookies(headers.cookie)
    .filter(([name, value]) => name === cookieName && isSessionId(value))
    .map(([, value]) => value)
    .slice(0, 1);
}

function personOf(claims: oauth.IDToken): Person {
  return {
    subject: claims.sub,
    issuerSessionId: textOf(claims.sid),
    name: textOf(claims.name),
    loginName: textOf(claims.preferred_username),
    email: textOf(claims.email),
  };
}

function textOf(claim: unknown): string | null {
  return typeof claim === "string" && claim !== "" ? claim : null;
}

function isRefusal(error: unknown): boolean {
  return error instanceof GrantRefusedError || error instanceof oauth.OperationProcessingError;
}

/** The person has cancelled the sign-in, or not allowed it. */
const declined = "access_denied";

/** The code of the error that the issuer answered; undefined if it answered none. */
function issuerErrorOf(error: unknown): string | undefined {
  if (!(error instanceof oauth.AuthorizationResponseError)) return undefined;
  // It comes through the browser, so it could be any text.
  return /^[a-z_]{1,64}$/.test(error.error) ? error.error : "unknown";
}

function finish(response: ServerResponse, { returnPath }: PendingSignIn, cookies: string[]): void {
  redirect(response, returnPath, { "Set-Cookie": cookies });
}

const notBegun = {
  title: "This sign-in cannot be finished",
  text: "It took too long, was finished already, or began in another browser.",
  link: { href: "/sign-in", text: "Sign in again" },
};

function failed({ returnPath }: PendingSignIn, issuerError: string | undefined) {
  const href = `/sign-in?${new URLSearchParams({ return: returnPath })}`;
  return {
    title: "You are not signed in",
    text: failureText(issuerError),
    link: { href, text: "Sign in again" },
  };
}

function failureText(issuerError: string | undefined): string {
  if (issuerError === declined) return "The sign-in was cancelled, or you have not allowed it.";
  if (issuerError === undefined) return "The sign-in service did not confirm the sign-in.";
  return `The sign-in failed at the sign-in service. Its error is: ${issuerError}.`;
}
