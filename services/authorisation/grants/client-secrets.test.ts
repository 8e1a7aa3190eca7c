import assert from "node:assert/strict";
import { it } from "node:test";
import type { ConcurrencyLimit } from "../limits/concurrency-limit.ts";
import { hashClientSecret } from "../model/credentials.ts";
import { bareClient, startBareProvider } from "../testing/bare-provider.ts";
import { compareClientSecrets } from "./client-secrets.ts";
import { extraClientMetadata } from "./registered-client.ts";

it("a chosen secret is compared slowly once, and each wrong one every time", async () => {
  const hash = await hashClientSecret(bareClient.client_secret);
  let comparisons = 0;
  const hashing: ConcurrencyLimit = {
    run(work) {
      comparisons++;
      return work();
    },
    pass: async () => undefined,
  };
  await using bare = await startBareProvider(
    { clients: [{ ...bareClient, secret_hashes: [hash] }], extraClientMetadata },
    (provider) => compareClientSecrets(provider, { key: Buffer.alloc(32), hashing }),
  );
  const form = { grant_type: "refresh_token", refresh_token: "unknown" };
  const wrong = { authorization: `Basic ${Buffer.from("app:wrong").toString("base64")}` };
  const compared = async (headers?: Record<string, string>) => {
    const { status } = await bare.post("/token", form, headers);
    return [status, comparisons];
  };
  assert.deepEqual(await compared(), [400, 1]);
  assert.deepEqual(await compared(), [400, 1]);
  assert.deepEqual(await compared(wrong), [401, 2]);
  assert.deepEqual(await compared(wrong), [401, 3]);
  assert.deepEqual(await compared(), [400, 3]);
});
