import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  authorizationRequest,
  callback,
  discover,
  runCodeFlow,
  signInAndAllow,
  startSignInService,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { type TestService, testAudiences } from "../testing/test-service.ts";

let service: TestService;
let acting: ActingClient;
let person: Account;
before(async () => {
  // With a grace, a token that a refused request has used up would still be accepted.
  const settings = { refreshTokenGraceS: 0 };
  ({ service, acting, person } = await startSignInService({ service: settings }));
});
after(() => service[Symbol.asyncDispose]());

const [uploads = "", other = ""] = testAudiences;
const detailsFor = (folder: string) =>
  JSON.stringify([{ type: "bucket", actions: ["read"], locations: [folder] }]);

async function refresh(refresh_token: string | undefined, further: string[][] = [], by = acting) {
  const { client_id } = by.client;
  const form = { grant_type: "refresh_token", refresh_token: refresh_token ?? "", client_id };
  const response = await fetch(`${service.authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams([...Object.entries(form), ...further]),
  });
  const { error } = (await response.json()) as { error?: string };
  return { status: response.status, error };
}

describe("a refresh for more than was granted is refused, and the token stays valid", () => {
  const cases: [what: string, asked: () => string[][], error: string][] = [
    ["scope", () => [["scope", "upl:bucket:write"]], "invalid_scope"],
    [
      "folders",
      () => [["authorization_details", detailsFor("/b")]],
      "invalid_authorization_details",
    ],
    ["resources", () => [["resource", other]], "invalid_target"],
    ["unknown resources", () => [["resource", "urn:svc:unknown"]], "invalid_target"],
    [
      "resources, the issuer among them",
      () => [uploads, service.authUrl].map((resource) => ["resource", resource]),
      "invalid_target",
    ],
  ];
  for (const [what, asked, error] of cases) {
    it(`more ${what}`, async () => {
      const changes = { authorization_details: detailsFor("/a") };
      const { tokens } = await runCodeFlow(service.authUrl, acting, person, { changes });
      const refused = await refresh(tokens.refresh_token, asked());
      assert.deepEqual(refused, { status: 400, error });
      assert.equal((await refresh(tokens.refresh_token)).status, 200);
    });
  }
});

it("a refresh must name one of several resources; a refused one uses up nothing", async () => {
  const changes = { resource: [uploads, other] };
  const { verifier, code } = await codeFor(changes);
  const tokens = await exchange(code, verifier, [["resource", uploads]]);
  const { refresh_token } = tokens;
  assert.deepEqual(await refresh(refresh_token), { status: 400, error: "invalid_target" });
  assert.equal((await refresh(refresh_token, [["resource", other]])).status, 200);
});

it("a refresh for a scope that the client has lost is refused, and uses up nothing", async () => {
  const client = await addActingClient(service.pool);
  const changes = { scope: "openid upl:bucket:read upl:bucket:write" };
  const { tokens } = await runCodeFlow(service.authUrl, client, person, { changes });
  await service.pool.query(
    "update auth.clients set scopes = '{upl:bucket:read}' where client_id = $1",
    [client.client.client_id],
  );
  const lost = [["scope", "upl:bucket:write"]];
  const refused = await refresh(tokens.refresh_token, lost, client);
  assert.deepEqual(refused, { status: 400, error: "invalid_scope" });
  assert.equal((await refresh(tokens.refresh_token, [], client)).status, 200);
});

describe("a request for a token that would be too long is refused, and uses up nothing", () => {
  const scopes = Array.from({ length: 36 }, (_, index) => `${index}`.padEnd(100, "a"));
  const scope = ["openid", ...scopes].join(" ");
  const locations = [1, 2].map((index) => `/${index}`.padEnd(1000, "b"));
  const details = JSON.stringify([{ type: "bucket", actions: ["read"], locations }]);
  const tooMuch = [["authorization_details", details]];

  it("a refresh", async () => {
    const client = await addActingClient(service.pool, { scopes });
    const { tokens } = await runCodeFlow(service.authUrl, client, person, { changes: { scope } });
    const refused = await refresh(tokens.refresh_token, tooMuch, client);
    assert.deepEqual(refused, { status: 400, error: "invalid_request" });
    assert.equal((await refresh(tokens.refresh_token, [], client)).status, 200);
  });
});

/** Signs in and consents, up to the code. */
async function codeFor(changes: Record<string, string | string[]>, { client } = acting) {
  const server = await discover(service.authUrl);
  const verifier = oauth.generateRandomCodeVerifier();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const request = authorizationRequest(server, client, challenge, changes);
  const { url } = await signInAndAllow(new TestBrowser(), request, person);
  return { verifier, code: new URL(url).searchParams.get("code") ?? "" };
}

async function exchange(
  code: string,
  code_verifier: string,
  further: string[][] = [],
  by = acting,
) {
  const { client_id } = by.client;
  const grant_type = "authorization_code";
  const form = { grant_type, code, code_verifier, redirect_uri: callback, client_id };
  const response = await fetch(`${service.authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams([...Object.entries(form), ...further]),
  });
  const answer = (await response.json()) as { error?: string; refresh_token?: string };
  return { ...answer, status: response.status };
}
