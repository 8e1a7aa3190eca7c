/** Floods of what anybody can create: sign-ins, pushed requests and sessions. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import * as oauth from "oauth4webapi";
import type { Service } from "../service.ts";
import { pruneProviderRecords } from "../store/provider-records.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  signInAndAllow,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const addressPendingMax = 3;
let service: TestService;
let limited: Service;
let server: oauth.AuthorizationServer;
let challenge: string;
before(async () => {
  service = await startTestService();
  limited = await service.startAnother({
    addressPendingMax,
    clientPendingMax: 6,
    trustedProxies: ["127.0.0.1"],
  });
  server = await discover(limited.authUrl);
  challenge = await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier());
});
after(async () => {
  await limited.stop();
  await service[Symbol.asyncDispose]();
});

const from = (address: string) => ({ "x-forwarded-for": address });

async function begin({ client }: ActingClient, address: string): Promise<string> {
  const request = authorizationRequest(server, client, challenge);
  const response = await fetch(request, { headers: from(address), redirect: "manual" });
  assert.equal(response.status, 303);
  const url = new URL(response.headers.get("location") ?? "", request);
  return url.searchParams.get("error") ?? "begun";
}

async function push(acting: ActingClient, address: string): Promise<string> {
  const form = new URLSearchParams({
    response_type: "code",
    redirect_uri: callback,
    scope: "openid",
    code_challenge: challenge,
    code_challenge_method: "S256",
    client_id: acting.client.client_id,
  });
  const headers = new Headers(from(address));
  await acting.authentication(server, acting.client, form, headers);
  const url = server.pushed_authorization_request_endpoint ?? "";
  const response = await fetch(url, { method: "POST", body: form, headers });
  const { error } = (await response.json()) as { error?: string };
  if (response.status === 201) return "begun";
  assert.deepEqual([response.status, response.headers.get("retry-after")], [429, "60"]);
  return error ?? "";
}

async function repeat(times: number, act: () => Promise<string>): Promise<string[]> {
  const outcomes: string[] = [];
  for (let time = 0; time < times; time++) outcomes.push(await act());
  return outcomes;
}

const refused = "temporarily_unavailable";
const some = (begun: number, outcome = refused) => [
  ...Array.from({ length: begun }, () => "begun"),
  outcome,
];

for (const [what, act] of Object.entries({ begin, push })) {
  it(`an address can ${what} no more than it may, and other addresses can still`, async () => {
    const acting = await addActingClient(service.pool);
    assert.deepEqual(await repeat(4, () => act(acting, "203.0.113.1")), some(3));
    assert.equal(await act(acting, "203.0.113.2"), "begun");
    assert.equal(await act(await addActingClient(service.pool), "203.0.113.1"), refused);
    await service.pool.query("delete from auth.provider_records");
  });

  it(`${what}: strangers do not use up what a client may have`, async () => {
    const acting = await addActingClient(service.pool);
    for (const address of ["1", "2"]) await repeat(3, () => act(acting, `203.0.113.${address}`));
    // The rest of the limit is for addresses at which nothing is pending.
    assert.deepEqual(await repeat(2, () => act(acting, "203.0.113.3")), some(1));
    for (const address of [4, 5, 6, 7, 8]) await act(acting, `203.0.113.${address}`);
    assert.equal(await act(acting, "203.0.113.9"), refused, "but not without end");
    await service.pool.query("delete from auth.provider_records");
  });
}

it("a client with a secret pushes the requests of all its people from one address", async () => {
  const acting = await addActingClient(service.pool, { secret: "a secret of the client" });
  assert.deepEqual(await repeat(7, () => push(acting, "203.0.113.1")), some(6));
  await service.pool.query("delete from auth.provider_records");
});

for (const path of ["/device", "/session/end"]) {
  it(`an address can begin no more sessions at ${path} than it may`, async () => {
    const visit = (address: string, headers = {}) =>
      fetch(limited.authUrl + path, { headers: { ...from(address), ...headers } });
    const begun: Response[] = [];
    for (let time = 0; time < addressPendingMax; time++) begun.push(await visit("203.0.113.1"));
    assert.deepEqual(
      begun.map(({ status }) => status),
      [200, 200, 200],
    );
    const refusal = await visit("203.0.113.1");
    assert.deepEqual([refusal.status, refusal.headers.get("retry-after")], [429, "60"]);
    assert.match(await refusal.text(), /<h1>Too much has begun here/);
    assert.deepEqual(refusal.headers.getSetCookie(), []);
    assert.equal((await visit("203.0.113.2")).status, 200, "others can still");
    const cookie = begun[0]?.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    assert.equal((await visit("203.0.113.1", { cookie })).status, 200, "that session goes on");
    assert.equal(await countSessions(), addressPendingMax + 1);
    await service.pool.query("delete from auth.provider_records");
  });
}

it("the cookie of a session that has ended begins no other", async () => {
  const { client } = await addActingClient(service.pool);
  const cookie = `stowage_session_${limited.port}=${"a".repeat(43)}`;
  const request = authorizationRequest(server, client, challenge);
  const headers = { ...from("203.0.113.1"), cookie };
  for (const url of [request, `${limited.authUrl}/auth?client_id=nobody`]) {
    const response = await fetch(url, { headers, redirect: "manual" });
    const cookies = response.headers.getSetCookie();
    assert.ok(!cookies.some((each) => each.startsWith("stowage_session_")), String(cookies));
  }
  assert.equal(await countSessions(), 0);
  await service.pool.query("delete from auth.provider_records");
});

async function countSessions(): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    "select count(*)::int as count from auth.provider_records where model = 'Session'",
  );
  return rows[0]?.count ?? 0;
}

it("a sign-in that is complete counts no more, and what has expired neither", async () => {
  const acting = await addActingClient(service.pool);
  const person = await addPerson(service.pool);
  const request = authorizationRequest(server, acting.client, challenge);
  for (let time = 0; time < addressPendingMax + 1; time++) {
    const { url } = await signInAndAllow(new TestBrowser(), request, person);
    assert.ok(url.startsWith(`${callback}?code=`), url);
  }
  assert.deepEqual(await repeat(4, () => begin(acting, "203.0.113.1")), some(3));
  await service.pool.query(
    "update auth.provider_records set expires_at = now() where model = 'Interaction'",
  );
  assert.equal(await begin(acting, "203.0.113.1"), "begun");
  assert.ok((await pruneProviderRecords(service.pool)) >= 3);
});
