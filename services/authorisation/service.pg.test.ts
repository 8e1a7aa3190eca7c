import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { relayDatabase } from "@stowage/process/testing";
import { removeClient } from "./store/clients.ts";
import { startTestService, type TestService, testClient } from "./testing/test-service.ts";
import { postForm, requestToken } from "./testing/token-request.ts";

const grant = { grant_type: "client_credentials" };
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

async function keySetOf(authUrl: string): Promise<string> {
  return await (await fetch(`${authUrl}/.well-known/jwks.json`)).text();
}

it("a restart keeps the key, and a second process uses the same one", async () => {
  const keySet = await keySetOf(service.authUrl);
  for (const _ of ["second process", "after a restart"]) {
    const another = await service.startAnother();
    assert.equal(await keySetOf(another.authUrl), keySet);
    await another.stop();
  }
});

it("reports that it runs and is ready", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    assert.equal((await fetch(service.authUrl + path)).status, 200, path);
  }
});

it("issues tokens to many callers at once", async () => {
  const tokens = await Promise.all(Array.from({ length: 40 }, () => requestToken(service.authUrl)));
  assert.equal(new Set(tokens).size, 40);
});

it("answers running requests before it stops", async () => {
  const another = await service.startAnother();
  const lock = await service.pool.connect();
  await lock.query("begin; lock table auth.authorisations");
  const pending = requestToken(another.authUrl);
  await untilWaitingForLock();

  const stopped = another.stop();
  await assert.rejects(fetch(`${another.authUrl}/healthz`));
  await lock.query("rollback");
  lock.release();
  assert.ok(await pending);
  await stopped;
});

async function untilWaitingForLock(): Promise<void> {
  for (;;) {
    const { rowCount } = await service.pool.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rowCount === 1) return;
    await setTimeout(10);
  }
}

it("without its database it answers 503; with it, it works again", async () => {
  const database = await relayDatabase(service.databaseUrl);
  const another = await service.startAnother({ databaseUrl: database.databaseUrl });
  await requestToken(another.authUrl);

  await database.cut();
  const response = await postForm(another.authUrl, grant);
  assert.equal(response.status, 503);
  assert.ok(Number(response.headers.get("retry-after")) > 0);
  assert.deepEqual(await response.json(), {
    error: "server_error",
    error_description: "the authorisation server cannot answer now; try again later",
  });
  assert.equal((await fetch(`${another.authUrl}/readyz`)).status, 503);
  assert.equal((await fetch(`${another.authUrl}/healthz`)).status, 200);
  assert.match(await keySetOf(another.authUrl), /"kid"/);

  await database.mend();
  assert.ok(await requestToken(another.authUrl));
  assert.equal((await fetch(`${another.authUrl}/readyz`)).status, 200);
  await another.stop();
  await database.cut();
});

it("an internal error is a 500 without its cause", async () => {
  await using broken = await startTestService();
  await broken.pool.query("drop table auth.authorisations");
  const response = await postForm(broken.authUrl, grant);
  assert.equal(response.status, 500);
  assert.deepEqual(await response.json(), {
    error: "server_error",
    error_description: "the authorisation server cannot answer now; try again later",
  });
});

it("a removed client gets no tokens", async () => {
  await using other = await startTestService();
  await requestToken(other.authUrl);
  assert.equal(await removeClient(other.pool, testClient.clientId), true);
  assert.equal((await postForm(other.authUrl, grant)).status, 401);
});
