/** Pushed authorization requests (RFC 9126). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  callback,
  insecure,
  signInAndAllow,
  startSignInService,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import type { TestService } from "../testing/test-service.ts";

const details = [{ type: "bucket", actions: ["read"], locations: ["/photos"] }];
let service: TestService;
let server: oauth.AuthorizationServer;
let acting: ActingClient;
let other: ActingClient;
let person: Account;
before(async () => {
  ({ service, server, acting, person } = await startSignInService({
    client: { secret: "a secret of the client" },
  }));
  other = await addActingClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

type Changes = Record<string, string>;

async function push(
  verifier: string,
  changes: Changes = {},
  { client, authentication }: ActingClient = acting,
): Promise<Response> {
  const parameters = {
    response_type: "code",
    redirect_uri: callback,
    scope: "openid upl:bucket:read",
    state: "the state",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    authorization_details: JSON.stringify(details),
    ...changes,
  };
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  const form = new URLSearchParams(given);
  return await oauth.pushedAuthorizationRequest(server, client, authentication, form, insecure);
}

async function pushed(verifier: string): Promise<string> {
  const response = await push(verifier);
  const answer = await oauth.processPushedAuthorizationResponse(server, acting.client, response);
  return answer.request_uri;
}

/** Where a browser is sent with a pushed request. */
function requestOf(request_uri: string, changes: Changes = {}): string {
  const parameters = { client_id: acting.client.client_id, request_uri, ...changes };
  return `${server.authorization_endpoint}?${new URLSearchParams(parameters)}`;
}

describe("a pushed request", () => {
  it("is what the person consents to, and what the client gets", async () => {
    const verifier = oauth.generateRandomCodeVerifier();
    const response = await push(verifier);
    assert.equal(response.status, 201);
    assert.match(response.headers.get("cache-control") ?? "", /no-store/);
    const answer = await oauth.processPushedAuthorizationResponse(server, acting.client, response);
    assert.match(answer.request_uri, /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
    assert.equal(answer.expires_in, 60);

    // Other parameters in the address of the browser are ignored.
    const request = requestOf(answer.request_uri, {
      scope: "openid upl:bucket:read upl:bucket:write",
      redirect_uri: "https://attacker.example/callback",
      authorization_details: "[]",
    });
    const { url } = await signInAndAllow(new TestBrowser(), request, person);
    assert.ok(url.startsWith(callback), url);
    const code = oauth.validateAuthResponse(server, acting.client, new URL(url), "the state");
    const exchanged = await oauth.authorizationCodeGrantRequest(
      server,
      acting.client,
      acting.authentication,
      code,
      callback,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, acting.client, exchanged);
    assert.deepEqual(tokens.authorization_details, details);
    const { scope, authorization_details } = decodeJwt(tokens.access_token);
    assert.deepEqual([scope, authorization_details], ["openid upl:bucket:read", details]);
  });

  it("gives one code, and is stored under the hash of its ID", async () => {
    const requestUri = await pushed(oauth.generateRandomCodeVerifier());
    const id = requestUri.split(":").at(-1) ?? "";
    const { rows } = await service.pool.query<{ row: string }>(
      "select r::text as row from auth.provider_records r where model like 'Pushed%'",
    );
    assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes(id)));
    const browser = new TestBrowser();
    const first = await signInAndAllow(browser, requestOf(requestUri), person);
    assert.ok(new URL(first.url).searchParams.has("code"));
    const second = await signInAndAllow(browser, requestOf(requestUri), person);
    assert.equal(second.status, 400);
    assert.match(second.text, /invalid_request_uri/);
  });

  it("belongs to its client, and no other address is one", async () => {
    const requestUri = await pushed(oauth.generateRandomCodeVerifier());
    const cases: [Changes, RegExp][] = [
      [{ client_id: other.client.client_id }, /invalid_request/],
      [{ request_uri: `${requestUri}x` }, /invalid_request_uri/],
      [{ request_uri: "https://attacker.example/request" }, /request_uri_not_supported/],
      [{ request_uri: "urn:ietf:params:oauth:request_uri:" }, /invalid_request_uri/],
    ];
    for (const [changes, error] of cases) {
      const { status, text } = await new TestBrowser().open(requestOf(requestUri, changes));
      assert.equal(status, 400);
      assert.match(text, error);
    }
  });
});

const bad: [what: string, changes: Changes, error: string][] = [
  ["an address that is not the client's", { redirect_uri: `${callback}/` }, "invalid_request"],
  ["no scope", { scope: "" }, "invalid_scope"],
  ["a scope that the client is not allowed", { scope: "upl:bucket:delete" }, "invalid_scope"],
  ["no code challenge", { code_challenge: "", code_challenge_method: "" }, "invalid_request"],
  ["a plain code challenge", { code_challenge_method: "plain" }, "invalid_request"],
  ["an unknown resource", { resource: "urn:svc:unknown" }, "invalid_target"],
  [
    "details that are not as they should be",
    { authorization_details: '[{"type":"bucket"}]' },
    "invalid_authorization_details",
  ],
  ["a pushed request", { request_uri: "urn:x" }, "request_uri_not_supported"],
  ["the implicit flow", { response_type: "token" }, "unsupported_response_type"],
];
describe("a pushed request is refused with", () => {
  for (const [what, changes, error] of bad) {
    it(what, async () => {
      const response = await push(oauth.generateRandomCodeVerifier(), changes);
      const body = (await response.json()) as { error: string };
      assert.deepEqual([response.status, body.error], [400, error]);
    });
  }

  it("a wrong secret", async () => {
    const authentication = oauth.ClientSecretBasic("wrong");
    const client = { ...acting, authentication };
    const response = await push(oauth.generateRandomCodeVerifier(), {}, client);
    assert.equal(response.status, 401);
    assert.equal(((await response.json()) as { error: string }).error, "invalid_client");
  });
});
