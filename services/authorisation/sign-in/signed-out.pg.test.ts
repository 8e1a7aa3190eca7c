import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, it } from "node:test";
import { decodeJwt } from "jose";
import { hashPassword } from "../model/credentials.ts";
import {
  type Account,
  changePassword,
  removeAccount,
  signOutEverywhere,
} from "../store/accounts.ts";
import {
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  runCodeFlow,
  signInAndAllow,
  testPassword,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const codeVerifier = "a".repeat(43);
const codeChallenge = hash("sha256", codeVerifier, "base64url");
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

/** Enters name and password. Returns the address of the redirect, without following it. */
async function signInHalfway(browser: TestBrowser, { loginName }: Account): Promise<string> {
  const server = await discover(service.authUrl);
  const { client } = await addActingClient(service.pool);
  const { url } = await browser.open(authorizationRequest(server, client, "a".repeat(43)));
  const cookie = [...browser.cookies.values()].map((one) => `${one.name}=${one.value}`).join("; ");
  const { status, headers } = await fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, origin: service.authUrl },
    body: new URLSearchParams({ login_name: loginName, password: testPassword, act: "sign-in" }),
  });
  assert.equal(status, 303);
  return headers.get("location") ?? "";
}

const ends = {
  "a new password": async ({ loginName }: Account) =>
    changePassword(service.pool, loginName, await hashPassword("another one altogether")),
  "signing out everywhere": ({ loginName }: Account) => signOutEverywhere(service.pool, loginName),
  removal: ({ loginName }: Account) => removeAccount(service.pool, loginName),
};

for (const [what, end] of Object.entries(ends)) {
  it(`an unfinished sign-in does not outlive ${what}`, async () => {
    const person = await addPerson(service.pool);
    const browser = new TestBrowser();
    const goOn = await signInHalfway(browser, person);
    assert.equal(await end(person), true);
    const { status, text } = await browser.open(goOn);
    assert.equal(status, 200);
    assert.match(text, /<h1>Sign in<\/h1>/);
  });
}

for (const [what, end] of Object.entries(ends)) {
  it(`a token does not outlive ${what}, if the clock of its issuer is ahead`, async (test) => {
    const person = await addPerson(service.pool);
    const acting = await addActingClient(service.pool);
    const { tokens } = await runCodeFlow(service.authUrl, acting, person);
    const { jti, sub, iat } = decodeJwt(tokens.access_token);
    const { now } = Date;
    test.mock.method(Date, "now", () => now() - 30_000);
    assert.equal(await end(person), true);
    const { rowCount } = await service.pool.query(
      `select from denylist.entries where (kind = 'jti' and value = $1)
         or (kind = 'sub' and value = $2 and issued_before > $3)`,
      [jti, sub, iat],
    );
    assert.equal(rowCount, 1);
  });
}

it("other people can finish their sign-in", async () => {
  const browser = new TestBrowser();
  const goOn = await signInHalfway(browser, await addPerson(service.pool));
  assert.match((await browser.open(goOn)).text, /<h1>Allow The page\?<\/h1>/);
});

it("a leftover code or refresh token is refused", async () => {
  const person = await addPerson(service.pool);
  const acting = await addActingClient(service.pool);
  const { tokens } = await runCodeFlow(service.authUrl, acting, person);
  const server = await discover(service.authUrl);
  const request = authorizationRequest(server, acting.client, codeChallenge);
  const { url } = await signInAndAllow(new TestBrowser(), request, person);
  // As if all of it had been stored at that moment.
  await service.pool.query(
    "update auth.accounts set signed_out_at = now() + interval '1 s' where account_id = $1",
    [person.accountId],
  );
  const shown = [
    { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" },
    {
      grant_type: "authorization_code",
      code: new URL(url).searchParams.get("code") ?? "",
      redirect_uri: callback,
      code_verifier: codeVerifier,
    },
  ];
  for (const form of shown) {
    const body = new URLSearchParams({ client_id: acting.client.client_id, ...form });
    const response = await fetch(server.token_endpoint ?? "", { method: "POST", body });
    assert.equal(((await response.json()) as { error?: string }).error, "invalid_grant");
  }
});
