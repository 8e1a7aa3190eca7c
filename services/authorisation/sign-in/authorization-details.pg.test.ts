/** Rich authorization requests (RFC 9396) of clients that act for people. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  authorizationRequest,
  discover,
  type Flow,
  insecure,
  runCodeFlow,
  startSignInService,
  testPassword,
} from "../testing/code-flow.ts";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import type { TestService } from "../testing/test-service.ts";

const read = { type: "bucket", actions: ["read"] };
const wide = [{ ...read, locations: ["/photos", "/texts"] }];
const narrow = [{ ...read, locations: ["/photos/2026"] }];
const other = [{ ...read, locations: ["/secrets"] }];
let service: TestService;
let acting: ActingClient;
let person: Account;
before(async () => {
  ({ service, acting, person } = await startSignInService());
});
after(() => service[Symbol.asyncDispose]());

const asking = (details: object[]) => ({ authorization_details: JSON.stringify(details) });

function detailsOf(token: string): unknown {
  return decodeJwt(token).authorization_details;
}

async function post(flow: Flow, form: Record<string, string>) {
  const response = await fetch(String(flow.server.token_endpoint), {
    method: "POST",
    body: new URLSearchParams({ client_id: acting.client.client_id, ...form }),
  });
  return (await response.json()) as {
    error?: string;
    access_token: string;
    refresh_token: string;
    authorization_details?: object[];
  };
}

describe("a request with authorization_details", () => {
  it("is described to the person, and the tokens and their records have the details", async () => {
    const server = await discover(service.authUrl);
    const challenge = await oauth.calculatePKCECodeChallenge("x".repeat(43));
    const request = authorizationRequest(server, acting.client, challenge, asking(wide));
    const browser = new TestBrowser();
    const login = await browser.open(request);
    const fields = { login_name: person.loginName, password: testPassword, act: "sign-in" };
    const { text } = await browser.submit(login, fields);
    assert.match(text, /Read the folders “\/photos” and “\/texts” of every bucket, and all that/);

    const { tokens } = await runCodeFlow(service.authUrl, acting, person, {
      changes: asking(wide),
    });
    assert.deepEqual(tokens.authorization_details, wide);
    assert.deepEqual(detailsOf(tokens.access_token), wide);
    const { rows } = await service.pool.query(
      "select authorization_details as recorded from auth.authorisations where token_id = $1",
      [decodeJwt(tokens.access_token).jti],
    );
    assert.deepEqual(rows, [{ recorded: wide }]);
  });

  it("gives an error if it is malformed", async () => {
    const server = await discover(service.authUrl);
    const challenge = await oauth.calculatePKCECodeChallenge("x".repeat(43));
    for (const authorization_details of ["{", '[{"type":"mailbox"}]', '[{"type":"bucket"}]']) {
      const changes = { authorization_details };
      const request = authorizationRequest(server, acting.client, challenge, changes);
      const { url } = await new TestBrowser().open(request);
      const error = new URL(url).searchParams.get("error");
      assert.equal(error, "invalid_authorization_details");
    }
  });

  it("needs consent even if less was allowed; without details, the limit stays", async () => {
    const browser = new TestBrowser();
    const run = (changes: Record<string, string>) =>
      runCodeFlow(service.authUrl, acting, person, { browser, changes });
    const limited = await run(asking(narrow));
    assert.deepEqual(detailsOf(limited.tokens.access_token), narrow);
    const later = await run({});
    assert.deepEqual(detailsOf(later.tokens.access_token), narrow);
    const more = await run(asking(wide));
    assert.deepEqual(detailsOf(more.tokens.access_token), wide);
  });

  it("stays the limit of its scopes when others are allowed without details", async () => {
    const browser = new TestBrowser();
    const run = (changes: Record<string, string>) =>
      runCodeFlow(service.authUrl, acting, person, { browser, changes });
    await run(asking(narrow));
    await run({ scope: "openid profile" });
    const later = await run({});
    assert.deepEqual(detailsOf(later.tokens.access_token), narrow);
    const others = await run({ scope: "openid upl:bucket:write" });
    assert.equal(detailsOf(others.tokens.access_token), undefined);

    const server = await discover(service.authUrl);
    const challenge = await oauth.calculatePKCECodeChallenge("x".repeat(43));
    const { text } = await browser.open(authorizationRequest(server, acting.client, challenge));
    assert.match(text, /value="allow"/);
  });
});

describe("a refresh token", () => {
  it("gives the allowed details, or fewer, and never more", async () => {
    const flow = await runCodeFlow(service.authUrl, acting, person, { changes: asking(wide) });
    const refresh = (refresh_token: string, form: Record<string, string> = {}) =>
      post(flow, { grant_type: "refresh_token", refresh_token, ...form });
    const same = await refresh(flow.tokens.refresh_token ?? "");
    assert.deepEqual(detailsOf(same.access_token), wide);
    const less = await refresh(same.refresh_token, asking(narrow));
    assert.deepEqual([detailsOf(less.access_token), less.authorization_details], [narrow, narrow]);
    const all = await refresh(less.refresh_token, asking([]));
    assert.deepEqual(detailsOf(all.access_token), wide);
    const more = await refresh(all.refresh_token, asking(other));
    assert.equal(more.error, "invalid_authorization_details");
  });
});

describe("a person's token that is exchanged", () => {
  it("keeps the session and the limits, and ends with the grant of the person", async () => {
    const delegate = await addOtherClient(service.pool);
    const { tokens, code, verifier, server } = await runCodeFlow(service.authUrl, acting, person, {
      changes: asking(wide),
    });
    const mine = decodeJwt(tokens.access_token);
    const answer = await exchange(service.authUrl, delegate, tokens.access_token, asking(narrow));
    const { sub, sid, act, scope, authorization_details } = decodeJwt(answer.access_token);
    assert.deepEqual([sub, sid], [mine.sub, mine.sid]);
    assert.equal(typeof sid, "string");
    assert.deepEqual(act, { sub: `urn:svc:serviceaccount:${acting.client.client_id}` });
    assert.deepEqual([scope, authorization_details], ["upl:bucket:read", narrow]);
    const wider = await exchange(service.authUrl, delegate, answer.access_token, asking(wide));
    assert.equal(wider.error, "invalid_authorization_details");

    // A code that is used a second time was stolen: every token that it gave ends.
    await oauth.authorizationCodeGrantRequest(
      server,
      acting.client,
      acting.authentication,
      code,
      "https://page.example/callback",
      verifier,
      insecure,
    );
    for (const token of [tokens.access_token, answer.access_token]) {
      const gone = await exchange(service.authUrl, delegate, token);
      assert.equal(gone.error, "invalid_request");
    }
  });
});
