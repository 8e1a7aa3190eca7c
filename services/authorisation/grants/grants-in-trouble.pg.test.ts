/** Grants for programs while the database is down, a key is withdrawn, or too many calls come. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { relayDatabase } from "@stowage/process/testing";
import { decodeProtectedHeader } from "jose";
import { withdrawKey } from "../signing/change-keys.ts";
import { exchange } from "../testing/exchange-request.ts";
import { addOtherClient, type OtherClient } from "../testing/other-clients.ts";
import { startTestService, type TestService, testEncryptionKey } from "../testing/test-service.ts";
import { postForm, requestToken } from "../testing/token-request.ts";

let service: TestService;
let other: OtherClient;
before(async () => {
  service = await startTestService();
  other = await addOtherClient(service.pool);
});
after(() => service[Symbol.asyncDispose]());

const grant = { grant_type: "client_credentials" };

async function outcomeOf(response: Response): Promise<{ status: number; error?: string }> {
  return { ...((await response.json()) as object), status: response.status };
}

it("without the database nobody gets a token, and what was shown is good afterwards", async () => {
  const database = await relayDatabase(service.databaseUrl);
  const { databaseUrl } = database;
  const another = await service.startAnother({ databaseUrl, authUrl: service.authUrl });
  const there = `http://127.0.0.1:${another.port}`;
  const token = await requestToken(service.authUrl);
  const asked = () =>
    Promise.all([postForm(there, grant).then(outcomeOf), exchange(there, other, token)]);

  await database.cut();
  for (const { status, error } of await asked()) {
    assert.deepEqual([status, error], [503, "server_error"]);
  }
  await database.mend();
  assert.deepEqual(
    (await asked()).map(({ status }) => status),
    [200, 200],
  );
  await another.stop();
  await database.cut();
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
