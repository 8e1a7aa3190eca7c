/** What a page and its person do: sign in, get tokens, and refresh them. Refusals are outcomes. */
import { hash, randomBytes } from "node:crypto";
import { FormBrowser, type Page } from "../../end-to-end/testing/form-browser.ts";
import { callback, type Person, type World } from "./world.ts";

/** A result, or why there is none. */
export type Got<T> = { readonly got: T } | { readonly refused: string };

/** A request that takes longer never ends. */
const answerMaxMs = 30_000;

/** Signs in and consents, if asked. Gets the form that the token endpoint exchanges for tokens. */
export async function signIn(
  { authUrl, clientId }: World,
  { loginName, password }: Person,
): Promise<Got<Record<string, string>>> {
  const browser = new FormBrowser();
  const verifier = randomBytes(32).toString("base64url");
  const request = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: callback,
    scope: "openid upl:bucket:read",
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256",
  });
  let page = await browser.open(`${authUrl}/auth?${request}`);
  if (page.text.includes('name="password"')) {
    page = await browser.press(page, ["act", "sign-in"], { login_name: loginName, password });
  }
  if (page.text.includes('value="allow"')) page = await browser.press(page, ["act", "allow"]);
  if (!page.url.startsWith(callback)) return { refused: reasonOfPage(page) };
  const { code, error } = Object.fromEntries(new URL(page.url).searchParams);
  if (code === undefined) return { refused: `callback ${error}` };
  return {
    got: {
      ...{ grant_type: "authorization_code", code, code_verifier: verifier },
      ...{ client_id: clientId, redirect_uri: callback },
    },
  };
}

/** Pages of errors tell people what they can do. */
function reasonOfPage({ status, text }: Page): string {
  const heading = /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
  const isNamed = (status === 503 || status === 400 || status === 429) && heading !== undefined;
  return isNamed ? `${status} ${heading}` : `wrong: ${status} ${text.slice(0, 200)}`;
}

/** Sends a form to the token endpoint. Gets the refresh token. */
export async function getTokens({ authUrl }: World, form: Record<string, string>) {
  const response = await fetch(`${authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams(form),
    signal: AbortSignal.timeout(answerMaxMs),
  });
  const answer = (await response.json()) as Record<string, string>;
  if (answer.refresh_token) return { got: answer.refresh_token };
  const { error, error_description: description } = answer;
  const mayTryAgain = response.status === 503 && response.headers.has("retry-after");
  if (mayTryAgain && error && description) return { refused: `503 ${error}` };
  return { refused: `wrong: ${form.grant_type}: ${response.status} ${error}: ${description}` };
}

/** Refreshes. Gets the next refresh token. */
export function refresh(world: World, refreshToken: string): Promise<Got<string>> {
  const { clientId: client_id } = world;
  return getTokens(world, { grant_type: "refresh_token", refresh_token: refreshToken, client_id });
}

/** `right`, or why there is no result. */
export function outcomeOf(answer: Got<unknown>): string {
  return "got" in answer ? "right" : answer.refused;
}

/** A program asks for a token. @param credentials `ID:secret` */
export async function requestToken({ authUrl }: World, credentials: string) {
  const response = await fetch(`${authUrl}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
    signal: AbortSignal.timeout(answerMaxMs),
  });
  return { status: response.status, text: await response.text() };
}
