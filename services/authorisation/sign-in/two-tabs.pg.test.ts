/**
 * Two tabs of one browser that ask at once. `TWO_TABS_ROUNDS=20` repeats each test that often; the
 * default is short, for every run of the tests.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  insecure,
  runCodeFlow,
  signInAndAllow,
} from "../testing/code-flow.ts";
import { TestBrowser, type Visited } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const rounds = Number(process.env.TWO_TABS_ROUNDS ?? 2);
const verifier = "a".repeat(43);
const silent = { prompt: "none" };
let service: TestService;
let server: oauth.AuthorizationServer;
let challenge: string;
let person: Account;
let browser: TestBrowser;
before(async () => {
  service = await startTestService();
  server = await discover(service.authUrl);
  challenge = await oauth.calculatePKCECodeChallenge(verifier);
});
beforeEach(startAnew);
after(() => service[Symbol.asyncDispose]());

async function startAnew(): Promise<void> {
  person = await addPerson(service.pool);
  browser = new TestBrowser();
}

/** A test in several rounds, each with a person and a browser of its own. */
function inRounds(name: string, round: () => Promise<void>): void {
  it(name, async () => {
    for (let count = 1; count <= rounds; count++) {
      await round().catch((error: Error) => {
        throw new Error(`round ${count} of ${rounds}: ${error.message}`, { cause: error });
      });
      await startAnew();
    }
  });
}

const requestOf = ({ client }: ActingClient, changes = {}) =>
  authorizationRequest(server, client, challenge, changes);

/** Exchanges the code that the browser was sent back with. */
async function tokensFor({ client, authentication }: ActingClient, { url, text }: Visited) {
  assert.ok(url.startsWith(callback), `not sent back, but to ${url}: ${text}`);
  const code = oauth.validateAuthResponse(server, client, new URL(url), "the state");
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    code,
    callback,
    verifier,
    insecure,
  );
  const expectedNonce = "the nonce";
  return await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce });
}

/** The error of an address that the browser was sent back to, if any. */
const errorOf = ({ url }: Visited) => new URL(url).searchParams.get("error");

async function refreshStatus({ client, authentication }: ActingClient, token = "") {
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authentication,
    token,
    insecure,
  );
  return response.status;
}

/** Presses the button of the logout page. */
async function signOut({ text }: Visited): Promise<Visited> {
  assert.match(text, /<h1>Sign out\?/);
  const [, xsrf = ""] = /name="xsrf" value="([\w-]+)"/.exec(text) ?? [];
  const url = `${service.authUrl}/session/end/confirm`;
  return await browser.submit({ url } as Visited, { xsrf, logout: "yes" });
}

const openLogout = () => browser.open(`${service.authUrl}/session/end`);

interface Issued {
  acting: ActingClient;
  tokens: oauth.TokenEndpointResponse;
}

async function checkNothingIsAlive(issued: Issued[]): Promise<void> {
  for (const { acting, tokens } of issued) {
    const { sid } = decodeJwt(tokens.access_token);
    const entry = "select from denylist.entries where kind = 'sid' and value = $1";
    const { rowCount } = await service.pool.query(entry, [sid]);
    assert.equal(rowCount, 1, "the access token is revoked");
    assert.equal(await refreshStatus(acting, tokens.refresh_token), 400, "the refresh token ended");
    assert.equal(errorOf(await browser.open(requestOf(acting, silent))), "login_required");
  }
  // A code that is stored at this moment may be left; the test shows that it is worth nothing.
  const { rows } = await service.pool.query(
    `select model from auth.provider_records
     where account_id = $1 and model in ('Session', 'Grant')`,
    [`urn:svc:user:${person.accountId}`],
  );
  assert.deepEqual(rows, [], "no session and no grant is left");
}

inRounds("a person signs in in both tabs", async () => {
  const acting = await addActingClient(service.pool);
  const other = await addActingClient(service.pool);
  const issued = await Promise.all(
    [acting, acting, other].map(async (client) => {
      const page = await signInAndAllow(browser, requestOf(client), person);
      return { acting: client, tokens: await tokensFor(client, page) };
    }),
  );
  for (const one of issued) {
    assert.equal(await refreshStatus(one.acting, one.tokens.refresh_token), 200);
    assert.equal(errorOf(await browser.open(requestOf(one.acting, silent))), null);
  }
  await signOut(await openLogout());
  await checkNothingIsAlive(issued);
});

inRounds("one tab renews while the person consents in the other", async () => {
  const [acting, other] = [
    await addActingClient(service.pool),
    await addActingClient(service.pool),
  ];
  const { tokens } = await runCodeFlow(service.authUrl, acting, person, { browser });
  const asked = await browser.open(requestOf(other));
  assert.match(asked.text, /value="allow"/);
  const renew = async () => tokensFor(acting, await browser.open(requestOf(acting, silent)));
  const [allowed, ...renewed] = await Promise.all([
    browser.submit(asked, { act: "allow" }).then((page) => tokensFor(other, page)),
    renew(),
    renew(),
  ]);
  const issued = [tokens, ...renewed].map((each) => ({ acting, tokens: each }));
  issued.push({ acting: other, tokens: allowed });
  for (const one of issued) {
    assert.equal(errorOf(await browser.open(requestOf(one.acting, silent))), null);
    assert.equal(await refreshStatus(one.acting, one.tokens.refresh_token), 200);
  }
  await signOut(await openLogout());
  await checkNothingIsAlive(issued);
});

inRounds("one tab renews while the person signs out in the other", async () => {
  const acting = await addActingClient(service.pool);
  const { tokens } = await runCodeFlow(service.authUrl, acting, person, { browser });
  const issued = [{ acting, tokens }];
  const asked = await openLogout();
  const renew = async () => {
    const page = await browser.open(requestOf(acting, silent));
    const error = errorOf(page);
    if (error !== null) return assert.equal(error, "login_required");
    // A code may be issued just before the end. It is worth nothing afterwards.
    const got = await tokensFor(acting, page).catch((failure: oauth.ResponseBodyError) =>
      assert.equal(failure.error, "invalid_grant"),
    );
    if (got) issued.push({ acting, tokens: got });
  };
  await Promise.all([signOut(asked), renew(), renew()]);
  await checkNothingIsAlive(issued);
});

inRounds("both tabs get their first tokens of a client at once", async () => {
  const [acting, other] = [
    await addActingClient(service.pool),
    await addActingClient(service.pool),
  ];
  // The person has consented to the other client before, in another browser.
  await runCodeFlow(service.authUrl, other, person);
  await runCodeFlow(service.authUrl, acting, person, { browser });
  const pages = await Promise.all([1, 2].map(() => browser.open(requestOf(other, silent))));
  for (const page of pages) {
    const { refresh_token } = await tokensFor(other, page);
    assert.equal(await refreshStatus(other, refresh_token), 200);
  }
});
