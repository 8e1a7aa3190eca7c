import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as oauth from "oauth4webapi";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";

let service: TestService;
let server: oauth.AuthorizationServer;
let acting: ActingClient;
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
before(async () => {
  service = await startTestService();
  server = await discover(service.authUrl);
  acting = await addActingClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

function ask(changes: Record<string, string | undefined>, browser = new TestBrowser()) {
  return browser.open(authorizationRequest(server, acting.client, challenge, changes));
}

const nearMisses = [
  `${callback}/`,
  `${callback}?`,
  `${callback}?a=b`,
  `${callback}#a`,
  `${callback}/../callback`,
  `${callback}%20`,
  "https://page.example/Callback",
  "https://PAGE.example/callback",
  "https://page.example:443/callback",
  "https://page.example/%63allback",
  "http://page.example/callback",
  "https://page.example.attacker.example/callback",
  "https://page.example@attacker.example/callback",
  "https://attacker.example/callback",
  "https://page.example/",
  "javascript:alert(1)",
  "",
  "*",
];

describe("nobody is redirected to an address that is not exactly the client's", () => {
  for (const redirect_uri of nearMisses) {
    it(`not to "${redirect_uri}"`, async () => {
      const { status, headers, text } = await ask({ redirect_uri });
      assert.equal(status, 400);
      assert.match(headers.get("content-type") ?? "", /^text\/html/);
      assert.match(text, /invalid_re(direct_uri|quest)/);
    });
  }

  it("not if the request has another error, or the client is unknown", async () => {
    const elsewhere = { redirect_uri: "https://attacker.example/" };
    for (const changes of [
      { ...elsewhere, response_type: "token" },
      { ...elsewhere, scope: "x" },
      { client_id: "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11" },
      { client_id: "<script>" },
      { client_id: undefined },
      // It acts for itself only.
      { client_id: testClient.clientId },
    ]) {
      const { status, url, text } = await ask(changes);
      assert.equal(status, 400, JSON.stringify(changes));
      assert.ok(url.startsWith(service.authUrl));
      assert.ok(!text.includes("<script>"));
    }
  });
});

const refusals: [string, Record<string, string | undefined>, string][] = [
  ["without PKCE", { code_challenge: undefined }, "invalid_request"],
  ["with PKCE by plain text", { code_challenge_method: "plain" }, "invalid_request"],
  ["with PKCE by no method", { code_challenge_method: undefined }, "invalid_request"],
  ["with a challenge too short", { code_challenge: "short" }, "invalid_request"],
  ["for a token at once", { response_type: "token" }, "unsupported_response_type"],
  ["for an ID token at once", { response_type: "id_token" }, "unsupported_response_type"],
  ["without a response type", { response_type: undefined }, "invalid_request"],
  [
    "for scopes that the client is not allowed",
    { scope: "x:y", nonce: undefined },
    "invalid_scope",
  ],
  ["for a scope that is none", { scope: "é" }, "invalid_scope"],
  ["for no scope", { scope: undefined, nonce: undefined }, "invalid_scope"],
  ["for an unknown resource", { resource: "urn:svc:other" }, "invalid_target"],
  ["for a resource that is no URI", { resource: "uploads" }, "invalid_target"],
  ["in silence, when nobody is signed in", { prompt: "none" }, "login_required"],
  ["by a request object", { request: "e30.e30." }, "request_not_supported"],
  ["by reference", { request_uri: "https://page.example/r" }, "request_uri_not_supported"],
  ["with a hint that we did not sign", { id_token_hint: "e30.e30.AAAA" }, "invalid_request"],
];

describe("a client gets the error of its request", () => {
  for (const [what, changes, error] of refusals) {
    it(what, async () => {
      const { url } = await ask(changes);
      assert.ok(url.startsWith(`${callback}`), url);
      const answer = new URLSearchParams(new URL(url).search || new URL(url).hash.slice(1));
      assert.deepEqual(
        [answer.get("error"), answer.get("state"), answer.get("iss"), answer.get("code")],
        [error, "the state", service.authUrl, null],
      );
    });
  }

  it("for the scope of service accounts, even if the client was added with it", async () => {
    const scopes = ["upl:bucket:read", "service_account"];
    const { client } = await addActingClient(service.pool, { scopes });
    const changes = { client_id: client.client_id, scope: "service_account", nonce: undefined };
    const { url } = await ask(changes);
    assert.equal(new URL(url).searchParams.get("error"), "invalid_scope");
  });

  it("when the person declines to sign in, or to consent", async () => {
    const { loginName } = await addPerson(service.pool);
    const browser = new TestBrowser();
    const cancelled = await browser.submit(await ask({}, browser), { act: "cancel" });
    const signIn = { act: "sign-in", login_name: loginName, password: "correct horse battery" };
    const consent = await browser.submit(await ask({}, browser), signIn);
    assert.match(consent.text, /Allow The page\?/);
    const denied = await browser.submit(consent, { act: "deny" });
    for (const { url } of [cancelled, denied]) {
      assert.throws(
        () => oauth.validateAuthResponse(server, acting.client, new URL(url), "the state"),
        { error: "access_denied" },
      );
    }
    // A refusal is not remembered: the person is asked again.
    assert.match((await ask({}, browser)).text, /Allow The page\?/);
  });
});

it("requests without a sign-in store little, and nothing for longer than an hour", async () => {
  const readStored = async () => {
    const { rows } = await service.pool.query<{ count: number; areShort: boolean }>(
      `select count(*)::int as count,
         coalesce(bool_and(expires_at < now() + interval '61 minutes'), true) as "areShort"
       from auth.provider_records where model = 'Session' and account_id is null`,
    );
    return rows[0];
  };
  const before = (await readStored())?.count ?? 0;
  // The page for signing out keeps what its form must send back.
  await fetch(`${service.authUrl}/session/end`);
  const cookie = `stowage_session_${service.port}=made-up`;
  await fetch(`${service.authUrl}/auth`, { headers: { cookie } });
  assert.deepEqual(await readStored(), { count: before + 1, areShort: true });
});
