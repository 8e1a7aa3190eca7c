import assert from "node:assert/strict";
import { it } from "node:test";
import type { Adapter } from "oidc-provider";
import type pg from "pg";
import { storageOf } from "./storage.ts";

const unlimitedRate = { consume: async () => 0, refund: async () => {} };
const unlimited = { address: unlimitedRate, session: unlimitedRate };
const clientId = "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11";
const untouched = {
  pool: {} as pg.Pool,
  refreshGraceSeconds: 30,
  userCodeRates: unlimited,
  findAccessToken: async () => undefined,
  sessions: { upsert: async () => {}, destroy: async () => {} },
  revokeGrant: async () => assert.fail("no grant is to be revoked"),
};
const acts = {
  upsert: (adapter: Adapter) => adapter.upsert("x", {}),
  findByUserCode: (adapter: Adapter) => adapter.findByUserCode("x"),
  findByUid: (adapter: Adapter) => adapter.findByUid("x"),
  consume: (adapter: Adapter) => adapter.consume("x"),
  destroy: (adapter: Adapter) => adapter.destroy("x"),
};

it("refuses to store clients and access tokens", async () => {
  const storage = storageOf({ ...untouched, findClient: async () => undefined });
  for (const model of ["Client", "AccessToken", "ClientCredentials"]) {
    assert.equal(await storage(model).find("x"), undefined);
    for (const [name, act] of Object.entries(acts)) {
      await assert.rejects(act(storage(model)), { message: new RegExp(`a ${model}: this`) }, name);
    }
  }
});

it("finds clients by their exact identifier, and does not query for other texts", async () => {
  const asked: string[] = [];
  const { find } = storageOf({
    ...untouched,
    findClient: async (id) => {
      asked.push(id);
      return undefined;
    },
  })("Client");
  for (const id of ["", "x", `${clientId} `, `{${clientId}}`, clientId.toUpperCase(), "%", "\0"]) {
    assert.equal(await find(id), undefined);
  }
  await find(clientId);
  assert.deepEqual(asked, [clientId]);
});
