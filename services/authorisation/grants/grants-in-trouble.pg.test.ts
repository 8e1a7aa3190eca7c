/** Grants for programs while the database is down, a key is withdrawn, or too many calls come. */
import assert from "node:assert/strict";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { relayDatabase } from "@stowage/process/testing";
import { decodeProtectedHeader, SignJWT } from "jose";
import { withdrawKey } from "../signing/change-keys.ts";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { addKeyedAccount, addTestAccount, showAssertion } from "../testing/service-accounts.ts";
import { startTestService, type TestService, testEncryptionKey } from "../testing/test-service.ts";
import { requestToken } from "../testing/token-request.ts";

let service: TestService;
let other: OtherClient;
before(async () => {
  service = await startTestService();
  other = await addOtherClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

it("without the database nobody gets a token, and what was shown is good afterwards", async () => {
  const database = await relayDatabase(service.databaseUrl);
  const { databaseUrl } = database;
  const another = await service.startAnother({ databaseUrl, authUrl: service.authUrl });
  const there = `http://127.0.0.1:${another.port}`;
  const { assertion } = await addTestAccount(service.pool, service.authUrl);
  const { privateKey } = generateKeyPairSync("ed25519");
  const { subject } = await addKeyedAccount(service.pool, privateKey);
  const own = await new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: "EdDSA" })
    .setIssuer(subject)
    .setSubject(subject)
    .setAudience(service.authUrl)
    .setIssuedAt()
    .setExpirationTime("4 minutes")
    .sign(privateKey);
  const token = await requestToken(service.authUrl);
  const asked = () =>
    Promise.all([
      showAssertion(there, assertion),
      showAssertion(there, own),
      exchange(there, other, token),
    ]);

  await database.cut();
  for (const { status, error } of await asked()) {
    assert.deepEqual([status, error], [503, "server_error"]);
  }
  await database.mend();
  assert.deepEqual(
    (await asked()).map(({ status }) => status),
    [200, 200, 200],
  );
  await another.stop();
  await database.cut();
});

describe("an account", () => {
  it("may ask only so often, and nobody can use up its requests", async () => {
    const limits = { clientRequestsPerMinuteMax: 2, authUrl: service.authUrl };
    const another = await service.startAnother(limits);
    const there = `http://127.0.0.1:${another.port}`;
    const { assertion, serviceAccountId } = await addTestAccount(service.pool, service.authUrl);
    const forged = `${assertion.slice(0, -8)}AAAAAAAA`;
    for (const form of [{}, { client_id: serviceAccountId }, {}]) {
      assert.equal((await showAssertion(there, forged, form)).status, 400);
    }
    for (const status of [200, 200, 429]) {
      assert.equal((await showAssertion(there, assertion)).status, status);
    }
    await another.stop();
  });
});

it("a token that a withdrawn key has signed is not exchanged", async () => {
  const token = await requestToken(service.authUrl);
  assert.equal((await exchange(service.authUrl, other, token)).status, 200);
  const keyId = String(decodeProtectedHeader(token).kid);
  await withdrawKey({ pool: service.pool, encryptionKeys: [testEncryptionKey], keyId });
  while ((await exchange(service.authUrl, other, token)).status === 200) {
    await new Promise(setImmediate);
  }
  assert.equal((await exchange(service.authUrl, other, token)).error, "invalid_request");
  // The other process signs with the key until it has read the change.
  let later = token;
  while (decodeProtectedHeader(later).kid === keyId) later = await requestToken(service.authUrl);
  assert.equal((await exchange(service.authUrl, other, later)).status, 200);
});
