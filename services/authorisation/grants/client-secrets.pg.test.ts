import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { generateClientSecret, hashClientSecret } from "../model/credentials.ts";
import { addSecret, type HashedSecret, removeSecret } from "../store/client-secrets.ts";
import { addClient } from "../store/clients.ts";
import {
  actsForItself,
  hashedSecret,
  startTestService,
  type TestService,
} from "../testing/test-service.ts";
import { basic, postForm } from "../testing/token-request.ts";

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service[Symbol.asyncDispose]());

/** A client with one secret. Returns its ID. */
async function addClientWith(secret: HashedSecret): Promise<string> {
  const clientId = randomUUID();
  const names = { clientId, applicationId: randomUUID(), organisationId: "acme", name: "" };
  await addClient(service.pool, { ...actsForItself, ...names, scopes: ["a"] }, secret);
  return clientId;
}

async function statusFor(clientId: string, secret: string): Promise<number> {
  const authorization = basic(clientId, secret);
  const form = { grant_type: "client_credentials" };
  return (await postForm(service.authUrl, form, { authorization })).status;
}

async function hashesOf(clientId: string): Promise<string[]> {
  const { rows } = await service.pool.query<{ hash: string }>(
    "select hash from auth.client_secrets where client_id = $1 order by created_at",
    [clientId],
  );
  return rows.map(({ hash }) => hash);
}

it("the slow hash of a generated secret is replaced at the next success", async () => {
  const secret = generateClientSecret();
  const clientId = await addClientWith({ hash: await hashClientSecret(secret), isChosen: false });
  assert.equal(await statusFor(clientId, generateClientSecret()), 401);
  assert.match((await hashesOf(clientId))[0] ?? "", /^\$scrypt\$/);
  for (let time = 1; time <= 2; time++) {
    assert.equal(await statusFor(clientId, secret), 200);
    assert.match((await hashesOf(clientId))[0] ?? "", /^\$hmac-sha256\$/);
  }
  assert.equal(await statusFor(clientId, generateClientSecret()), 401);
});

it("a secret that a person chose keeps its slow hash, whatever its form", async () => {
  const chosen = "a secret that somebody chose";
  const unknown = await addClientWith({ hash: await hashClientSecret(chosen), isChosen: false });
  assert.equal(await statusFor(unknown, chosen), 200);
  assert.match((await hashesOf(unknown))[0] ?? "", /^\$scrypt\$/);
  const secret = generateClientSecret();
  const fromFile = await addClientWith({ hash: await hashClientSecret(secret), isChosen: true });
  assert.equal(await statusFor(fromFile, secret), 200);
  assert.match((await hashesOf(fromFile))[0] ?? "", /^\$scrypt\$/);
});

it("two secrets overlap, and the one that is removed is refused from then on", async () => {
  const { pool } = service;
  const [first, second] = [generateClientSecret(), generateClientSecret()];
  const clientId = await addClientWith(await hashedSecret(pool, first));
  await addSecret(pool, clientId, await hashedSecret(pool, second));
  assert.deepEqual(
    [await statusFor(clientId, first), await statusFor(clientId, second)],
    [200, 200],
  );
  await assert.rejects(
    addSecret(pool, clientId, await hashedSecret(pool, "third")),
    /^ConflictError: Cannot add a secret: client \S+ has 2, which is the most/,
  );
  const { rows } = await pool.query<{ id: string }>(
    "select secret_id as id from auth.client_secrets where client_id = $1 order by created_at",
    [clientId],
  );
  assert.equal(await removeSecret(pool, clientId, rows[0]?.id ?? ""), true);
  assert.deepEqual(
    [await statusFor(clientId, first), await statusFor(clientId, second)],
    [401, 200],
  );
  await assert.rejects(removeSecret(pool, clientId, rows[1]?.id ?? ""), /it is the only one/);
  assert.equal(await statusFor(clientId, second), 200);
});

it("a client that the version before has added works, and gets a second", async () => {
  const { pool } = service;
  const [first, second] = [generateClientSecret(), generateClientSecret()];
  const clientId = await addClientWith(await hashedSecret(pool, "replaced"));
  await pool.query("delete from auth.client_secrets where client_id = $1", [clientId]);
  await pool.query("update auth.clients set secret_hash = $2 where client_id = $1", [
    clientId,
    await hashClientSecret(first),
  ]);
  assert.equal(await statusFor(clientId, first), 200);
  await addSecret(pool, clientId, await hashedSecret(pool, second));
  assert.deepEqual(
    [await statusFor(clientId, first), await statusFor(clientId, second)],
    [200, 200],
  );
});

it("wrong secrets and unknown clients are refused after the same time", async () => {
  const chosen = "a secret that somebody chose";
  const slow = await addClientWith({ hash: await hashClientSecret(chosen), isChosen: true });
  const fast = await addClientWith(await hashedSecret(service.pool, generateClientSecret()));
  const clients = { slow, fast, unknown: randomUUID(), none: "x" };
  const rounds: Record<string, number>[] = [];
  for (let count = 0; count < 8; count++) {
    const tookMs: Record<string, number> = {};
    for (const [what, clientId] of Object.entries(clients)) {
      const startedAt = performance.now();
      assert.equal(await statusFor(clientId, "wrong"), 401);
      tookMs[what] = performance.now() - startedAt;
      assert.ok(tookMs[what] >= 100, JSON.stringify(tookMs));
    }
    rounds.push(tookMs);
  }
  // The machine delays single answers. What took another time by its kind would in each round.
  const spreads = rounds.map((tookMs) => {
    const all = Object.values(tookMs);
    return Math.max(...all) / Math.min(...all);
  });
  assert.ok(Math.min(...spreads) < 1.25, JSON.stringify(rounds));
});
