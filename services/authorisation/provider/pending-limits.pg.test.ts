/** Floods of what anybody can create: sign-ins, pushed requests and sessions. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type * as oauth from "oauth4webapi";
import { removeSurplus } from "../store/provider-records.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  signInAndAllow,
  testPassword,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const pendingMax = 100;
let service: TestService;
let server: oauth.AuthorizationServer;
let acting: ActingClient;
before(async () => {
  service = await startTestService({ pendingMax, trustedProxies: ["127.0.0.1"] });
  server = await discover(service.authUrl);
  acting = await addActingClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

const challenge = "a".repeat(43);

async function begin(address: string): Promise<number> {
  const request = authorizationRequest(server, acting.client, challenge);
  const headers = { "x-forwarded-for": address };
  return (await fetch(request, { headers, redirect: "manual" })).status;
}

async function push(address: string): Promise<number> {
  const form = new URLSearchParams({
    response_type: "code",
    redirect_uri: callback,
    scope: "openid",
    code_challenge: challenge,
    code_challenge_method: "S256",
    client_id: acting.client.client_id,
  });
  const headers = { "x-forwarded-for": address };
  const url = server.pushed_authorization_request_endpoint ?? "";
  return (await fetch(url, { method: "POST", body: form, headers })).status;
}

async function visit(address: string): Promise<number> {
  const headers = { "x-forwarded-for": address };
  return (await fetch(`${service.authUrl}/device`, { headers })).status;
}

async function pending(): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    "select count(*)::int as count from auth.provider_records where address is not null",
  );
  return rows[0]?.count ?? 0;
}

const acts = { begin: [begin, 303], push: [push, 201], visit: [visit, 200] } as const;

for (const [what, [act, status]] of Object.entries(acts)) {
  it(`a flood of ${what} is refused nothing, and removes only what it has made`, async () => {
    const browser = new TestBrowser();
    const login = await browser.open(authorizationRequest(server, acting.client, challenge));
    for (let count = 0; count < 2 * pendingMax; count++) {
      assert.equal(await act(`203.0.113.${count % 10}`), status);
    }
    await removeSurplus(service.pool, pendingMax);
    assert.ok((await pending()) <= pendingMax);
    const person = await addPerson(service.pool);
    const fields = { login_name: person.loginName, password: testPassword, act: "sign-in" };
    const consent = await browser.submit(login, fields);
    const { url } = await browser.submit(consent, { act: "allow" });
    assert.ok(url.startsWith(`${callback}?code=`), url);
    await service.pool.query("delete from auth.provider_records");
  });
}

it("a sign-in that is complete is not pending", async () => {
  const person = await addPerson(service.pool);
  const request = authorizationRequest(server, acting.client, challenge);
  await signInAndAllow(new TestBrowser(), request, person);
  assert.equal(await pending(), 0);
});

it("the cookie of a session that has ended begins no other", async () => {
  const cookie = `stowage_session_${service.port}=${"a".repeat(43)}`;
  const request = authorizationRequest(server, acting.client, challenge);
  for (const url of [request, `${service.authUrl}/auth?client_id=nobody`]) {
    await fetch(url, { headers: { cookie }, redirect: "manual" });
  }
  const { rows } = await service.pool.query(
    "select from auth.provider_records where model = 'Session' and account_id is null",
  );
  assert.equal(rows.length, 0);
});
