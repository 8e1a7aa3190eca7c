/** People sign in with a browser, and a client gets tokens (RFC 6749 section 4.1). */
import assert from "node:assert/strict";
import { hash, randomBytes, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FormBrowser } from "./form-browser.ts";
import { organisationId, type RunningServices } from "./running-services.ts";

const callback = "https://page.example/callback";
export const signedOut = "https://page.example/signed-out";

export interface Person {
  readonly loginName: string;
  readonly password: string;
}

/** Adds an account. The file with its password is in the folder. */
export async function addPerson({ run }: RunningServices, folder: string): Promise<Person> {
  const person = { loginName: `${randomUUID()}@example.com`, password: randomUUID() };
  const file = join(folder, person.loginName);
  await writeFile(file, person.password);
  const options = ["--login-name", person.loginName, "--password-file", file];
  await run("accounts", "add", "--organisation", organisationId, ...options);
  return person;
}

/** Adds a public client that acts for people. Returns its ID. */
export async function addPage({ run }: RunningServices, ...options: string[]): Promise<string> {
  const uris = ["--redirect-uri", callback, "--post-logout-redirect-uri", signedOut];
  const all = ["--organisation", organisationId, "--public", "--json", ...uris, ...options];
  const { clientId } = JSON.parse(await run("clients", "add", ...all)) as { clientId: string };
  return clientId;
}

export interface SignedIn {
  readonly accessToken: string;
  readonly idToken: string;
  readonly refreshToken: string;
}

interface SignInOptions {
  /** Further parameters of the request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Whether the client pushes its request (RFC 9126) and the browser sends only its address. */
  readonly isPushed?: boolean;
}

/** Signs a person in if needed, consents to the client's request, and gets the tokens. */
export async function signIn(
  authUrl: string,
  clientId: string,
  browser: FormBrowser,
  { loginName, password }: Person,
  { parameters = {}, isPushed = false }: SignInOptions = {},
): Promise<SignedIn> {
  const verifier = randomBytes(32).toString("base64url");
  const request = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: callback,
    scope: "openid upl:bucket:read",
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256",
    ...parameters,
  });
  const shown = isPushed ? await push(authUrl, clientId, request) : request;
  let page = await browser.open(`${authUrl}/auth?${shown}`);
  if (page.text.includes('name="password"')) {
    page = await browser.press(page, ["act", "sign-in"], { login_name: loginName, password });
  }
  if (!page.url.startsWith(callback)) page = await browser.press(page, ["act", "allow"]);
  const code = new URL(page.url).searchParams.get("code");
  assert.ok(code, `${page.url} ${page.text}`);

  const form = { grant_type: "authorization_code", code, redirect_uri: callback };
  const body = new URLSearchParams({ ...form, client_id: clientId, code_verifier: verifier });
  const response = await fetch(`${authUrl}/token`, { method: "POST", body });
  const tokens = (await response.json()) as Record<string, string>;
  const { access_token, id_token, refresh_token } = tokens;
  const areAll = access_token && id_token && refresh_token;
  assert.ok(areAll, `the token endpoint answers ${response.status}`);
  return { accessToken: access_token, idToken: id_token, refreshToken: refresh_token };
}

/** Pushes the request. Returns the parameters that the browser sends instead. */
async function push(
  authUrl: string,
  clientId: string,
  body: URLSearchParams,
): Promise<URLSearchParams> {
  const response = await fetch(`${authUrl}/par`, { method: "POST", body });
  const { request_uri } = (await response.json()) as { request_uri?: string };
  assert.ok(request_uri, `a pushed request is answered with ${response.status}`);
  return new URLSearchParams({ client_id: clientId, request_uri });
}
