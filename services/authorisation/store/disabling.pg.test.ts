/** Disabled clients and accounts get no tokens, and their tokens are denylisted at once. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "@stowage/process/testing";
import { addActingClient, addPerson, runCodeFlow } from "../testing/code-flow.ts";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";
import { basic, postForm } from "../testing/token-request.ts";
import { disable, enable } from "./disabling.ts";

let service: TestService;
let watcher: { clientId: string; clientSecret: string };
before(async () => {
  service = await startTestService();
  const scopes = ["auth:token:introspect"];
  watcher = await addOtherClient(service.pool, { scopes, organisationId: "watchers" });
});
after(() => service[Symbol.asyncDispose]());

/** Whether a resource server would accept a token. */
async function isActive(token: string): Promise<boolean> {
  const response = await fetch(`${service.authUrl}/introspection`, {
    method: "POST",
    headers: { authorization: basic(watcher.clientId, watcher.clientSecret) },
    body: new URLSearchParams({ token }),
  });
  return ((await response.json()) as { active: boolean }).active;
}

async function endsWithin2s(tokens: Record<string, string>): Promise<void> {
  const startedAt = performance.now();
  for (const [what, token] of Object.entries(tokens)) {
    await until(`${what} ends`, async () => !(await isActive(token)));
  }
  assert.ok(performance.now() - startedAt < 2000);
}

async function ownToken({ authorization }: { authorization: string }) {
  const form = { grant_type: "client_credentials" };
  const response = await postForm(service.authUrl, form, { authorization });
  const { access_token = "" } = (await response.json()) as { access_token?: string };
  return { status: response.status, access_token };
}

async function refreshStatus(clientId: string, refresh_token = ""): Promise<number> {
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token });
  body.set("client_id", clientId);
  return (await fetch(`${service.authUrl}/token`, { method: "POST", body })).status;
}

describe("a client that is disabled", () => {
  it("gets no token, and its own ones end, until it is enabled again", async () => {
    const client = await addOtherClient(service.pool);
    const own = await ownToken(client);
    assert.equal(await isActive(own.access_token), true);
    assert.equal(await disable(service.pool, "client", client.clientId), true);
    await endsWithin2s({ own: own.access_token });
    assert.equal((await ownToken(client)).status, 401);
    assert.equal(await enable(service.pool, "client", client.clientId), true);
    assert.equal((await ownToken(client)).status, 200);
  });

  it("loses its tokens for people, who keep those of other clients", async () => {
    const { pool, authUrl } = service;
    const [acting, other] = [await addActingClient(pool), await addActingClient(pool)];
    const person = await addPerson(pool);
    const { tokens } = await runCodeFlow(authUrl, acting, person);
    const kept = (await runCodeFlow(authUrl, other, person)).tokens;
    await disable(pool, "client", acting.client.client_id);
    await endsWithin2s({ "the person's token": tokens.access_token });
    assert.equal(await refreshStatus(acting.client.client_id, tokens.refresh_token), 401);
    assert.equal(await isActive(kept.access_token), true);
    assert.equal(await refreshStatus(other.client.client_id, kept.refresh_token), 200);
    await enable(pool, "client", acting.client.client_id);
    assert.equal(await refreshStatus(acting.client.client_id, tokens.refresh_token), 400);
    // Tokens of the second in which the client was disabled are refused.
    const again = async () => (await runCodeFlow(authUrl, acting, person)).tokens.access_token;
    await until("the client can be used", async () => await isActive(await again()));
  });
});

it("what others got by exchange for a client's tokens ends with them", async () => {
  const { pool, authUrl } = service;
  const [acting, other] = [await addActingClient(pool), await addOtherClient(pool)];
  const { tokens } = await runCodeFlow(authUrl, acting, await addPerson(pool));
  const { access_token: exchanged } = await exchange(authUrl, other, tokens.access_token);
  assert.equal(await isActive(exchanged), true);
  await disable(pool, "client", acting.client.client_id);
  await endsWithin2s({ exchanged });
});

it("an account that is disabled loses its tokens, and signs in when it is enabled", async () => {
  const { pool, authUrl } = service;
  const [acting, person] = [await addActingClient(pool), await addPerson(pool)];
  const { tokens } = await runCodeFlow(authUrl, acting, person);
  assert.equal(await disable(pool, "account", person.loginName), true);
  await endsWithin2s({ token: tokens.access_token });
  assert.equal(await refreshStatus(acting.client.client_id, tokens.refresh_token), 400);
  await assert.rejects(
    runCodeFlow(authUrl, acting, person),
    /The login name or the password is wrong/,
  );
  await enable(pool, "account", person.loginName);
  // Sign-ins of the second in which the account was disabled have ended too.
  const again = async () => await runCodeFlow(authUrl, acting, person).catch(() => undefined);
  await until("the person can sign in", async () => (await again()) !== undefined);
});

it("an organisation that is disabled takes its people and clients with it", async () => {
  const { pool, authUrl } = service;
  const organisationId = "closing";
  const acting = await addActingClient(pool, { organisationId });
  const person = await addPerson(pool, { organisationId });
  const client = await addOtherClient(pool, { organisationId });
  const { tokens } = await runCodeFlow(authUrl, acting, person);
  const own = await ownToken(client);
  const before = {
    person: tokens.access_token,
    client: own.access_token,
  };
  for (const token of Object.values(before)) assert.equal(await isActive(token), true);

  assert.equal(await disable(pool, "organisation", organisationId), true);
  await endsWithin2s(before);
  assert.equal((await ownToken(client)).status, 401);
  assert.equal(await refreshStatus(acting.client.client_id, tokens.refresh_token), 401);

  assert.equal(await enable(pool, "organisation", organisationId), true);
  assert.equal((await ownToken(client)).status, 200);
  assert.equal(await disable(pool, "organisation", "unknown"), false);
});
