import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { generateClientSecret } from "../model/credentials.ts";
import { addSecret, removeSecret } from "../store/client-secrets.ts";
import { addClient } from "../store/clients.ts";
import {
  actsForItself,
  hashOfSecret,
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
async function addClientWith(secretHash: string): Promise<string> {
  const clientId = randomUUID();
  const names = { clientId, applicationId: randomUUID(), organisationId: "acme", name: "" };
  await addClient(service.pool, { ...actsForItself, ...names, scopes: ["a"] }, secretHash);
  return clientId;
}

async function statusFor(clientId: string, secret: string): Promise<number> {
  const authorization = basic(clientId, secret);
  const form = { grant_type: "client_credentials" };
  return (await postForm(service.authUrl, form, { authorization })).status;
}

it("two secrets overlap, and the one that is removed is refused from then on", async () => {
  const { pool } = service;
  const [first, second] = [generateClientSecret(), generateClientSecret()];
  const clientId = await addClientWith(await hashOfSecret(pool, first));
  await addSecret(pool, clientId, await hashOfSecret(pool, second));
  assert.deepEqual(
    [await statusFor(clientId, first), await statusFor(clientId, second)],
    [200, 200],
  );
  await assert.rejects(
    addSecret(pool, clientId, await hashOfSecret(pool, "third")),
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
