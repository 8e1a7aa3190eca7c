import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { DenylistEntry } from "@stowage/access-token";
import { inTransaction } from "@stowage/process";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type { Adapter } from "oidc-provider";
import type pg from "pg";
import { authorisationRecorder, GrantRevokedError } from "../store/authorisations.ts";
import { endAccess } from "../store/end-access.ts";
import { authSchema } from "../store/migrate-store.ts";
import { pruneProviderRecords } from "../store/provider-records.ts";
import { openTestPool } from "../testing/signing-keys.ts";
import { sessionStorage } from "./session-storage.ts";
import { storageOf } from "./storage.ts";

const unlimitedRate = { consume: async () => 0, refund: async () => {} };
const unlimited = { address: unlimitedRate, session: unlimitedRate };
const clientId = "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11";
let database: TestDatabase;
let pools: pg.Pool[];
let pool: pg.Pool;
const denied: DenylistEntry[] = [];
const denylist = {
  async add(entry: DenylistEntry) {
    denied.push(entry);
  },
};
before(async () => {
  database = await createTestDatabase(authSchema);
  // One connection each, so that concurrent calls do not wait for each other.
  pools = [1, 2, 3].map(() => openTestPool(database.databaseUrl));
  [pool] = pools as [pg.Pool];
});
after(async () => {
  await Promise.all(pools.map((each) => each.end()));
  await database.drop();
});

async function revokeGrant(on: pg.Pool, grantId: string, deny = denylist.add): Promise<void> {
  await inTransaction(on, (connection) => endAccess(connection, { grantId }, deny));
}

function storage(model: string, on = pool): Adapter {
  return storageOf({
    pool: on,
    refreshGraceSeconds: 30,
    userCodeRates: unlimited,
    findAccessToken: async () => undefined,
    findClient: async () => undefined,
    sessions: sessionStorage(on),
    revokeGrant: (grantId) => revokeGrant(on, grantId),
  })(model);
}

it("finds exactly what was stored, under its own model only", async () => {
  const payload = {
    kind: "Interaction",
    accountId: "a",
    params: { state: "\0 \ud800 {} é", nested: { list: [1, "2", null] } },
    returnTo: "https://issuer.example/auth/secret-id",
    session: { accountId: "a", uid: "u" },
    iat: 1,
    exp: 2,
  };
  await storage("Interaction").upsert("secret-id", { ...payload, jti: "secret-id" }, 60);
  assert.deepEqual(await storage("Interaction").find("secret-id"), {
    ...payload,
    jti: "secret-id",
  });
  for (const id of ["", "secret-i", "SECRET-ID", "secret-id ", "%", "\0"]) {
    assert.equal(await storage("Interaction").find(id), undefined, id);
  }
  assert.equal(await storage("Session").find("secret-id"), undefined);
  await storage("Interaction").destroy("secret-id");
  assert.equal(await storage("Interaction").find("secret-id"), undefined);
});

it("storing again replaces the record", async () => {
  await storage("Grant").upsert("g", { accountId: "a", clientId: "c" }, 60);
  await storage("Grant").upsert("g", { accountId: "b" }, 60);
  assert.deepEqual(await storage("Grant").find("g"), { accountId: "b", jti: "g" });
});

it("no ID is in the database, whatever member contained it", async () => {
  const id = "what-only-its-bearer-knows";
  const session = { uid: "u", accountId: "a", cookie: id };
  const payload = { jti: id, returnTo: `https://issuer.example/auth/${id}`, session, uid: "named" };
  for (const model of ["Session", "Interaction", "RefreshToken", "AuthorizationCode", "Grant"]) {
    await storage(model).upsert(id, payload, 60);
  }
  const { rows } = await pool.query("select r::text as text from auth.provider_records r");
  assert.ok(rows.length >= 5);
  for (const { text } of rows) assert.ok(!text.includes(id), text);
});

it("finds sessions by uid and devices by user code, without their secret ID", async () => {
  const signedIn = { uid: "of the session", accountId: "a" };
  await storage("Session").upsert("cookie", { ...signedIn, jti: "cookie" }, 60);
  await storage("DeviceCode").upsert("device", { userCode: "ABCD-EFGH", jti: "device" }, 60);
  const session = await storage("Session").findByUid("of the session");
  assert.deepEqual(session, signedIn);
  const device = await storage("DeviceCode").findByUserCode("ABCD-EFGH");
  const { jti: handle = "", ...payload } = device ?? {};
  assert.deepEqual(payload, { userCode: "ABCD-EFGH" });
  await storage("DeviceCode").upsert(handle, { userCode: "ABCD-EFGH", accountId: "a" }, 60);
  const saved = await storage("DeviceCode").find("device");
  assert.deepEqual(saved, { userCode: "ABCD-EFGH", accountId: "a", jti: "device" });
  assert.equal(await storage("DeviceCode").findByUid("of the session"), undefined);
});

it("of concurrent uses of a code, one succeeds, and the grant is revoked", async () => {
  await storage("Grant").upsert("grant", { accountId: "a", grantId: "grant" }, 60);
  await storage("AuthorizationCode").upsert("code", { grantId: "grant" }, 60);
  const outcomes = await Promise.allSettled(
    pools.map((each) => storage("AuthorizationCode", each).consume("code")),
  );
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") assert.equal(outcome.reason.error, "invalid_grant");
  }
  assert.equal(await storage("Grant").find("grant"), undefined);
  assert.equal(await storage("AuthorizationCode").find("code"), undefined);
});

it("tells when a code was used", async () => {
  await storage("AuthorizationCode").upsert("code", { grantId: "g" }, 60);
  await storage("AuthorizationCode").consume("code");
  const found = await storage("AuthorizationCode").find("code");
  assert.ok(Math.abs(Number(found?.consumed) - Date.now() / 1000) < 60);
  await assert.rejects(storage("PushedAuthorizationRequest").consume("no such"), {
    error: "invalid_request_uri",
  });
});

it("revoking a grant's access tokens ends all that rests on it, and nothing else", async () => {
  for (const grantId of ["mine", "another"]) {
    await storage("Grant").upsert(grantId, { grantId }, 60);
    for (const model of ["AuthorizationCode", "RefreshToken"]) {
      await storage(model).upsert(`${model} of ${grantId}`, { grantId }, 60);
    }
  }
  const { tokenId } = await authorisationRecorder(pool)(grantOf("mine"));
  const other = await authorisationRecorder(pool)(grantOf("another"));
  denied.length = 0;
  await storage("AccessToken").revokeByGrantId("mine");
  assert.deepEqual(
    denied.map((entry) => entry.value),
    [tokenId],
  );
  assert.ok(Number(denied[0]?.expiresAt) >= Date.now() / 1000 + 3600);
  assert.notEqual(tokenId, other.tokenId);
  assert.equal(await storage("RefreshToken").find("RefreshToken of mine"), undefined);
  assert.ok(await storage("RefreshToken").find("RefreshToken of another"));
  await assert.rejects(authorisationRecorder(pool)(grantOf("mine")), GrantRevokedError);
});

it("a token issued while its grant is revoked is refused, or on the denylist", async () => {
  for (let round = 0; round < 20; round++) {
    const grantId = `raced ${round}`;
    await storage("Grant").upsert(grantId, { grantId }, 60);
    denied.length = 0;
    const [issued] = await Promise.allSettled([
      authorisationRecorder(pools[1] as pg.Pool)(grantOf(grantId)),
      revokeGrant(pools[2] as pg.Pool, grantId),
    ]);
    if (issued.status === "rejected") assert.ok(issued.reason instanceof GrantRevokedError);
    else
      assert.deepEqual(
        [issued.value.tokenId],
        denied.map((entry) => entry.value),
      );
  }
});

it("if the denylist fails, a grant is not revoked, and can be revoked later", async () => {
  await storage("Grant").upsert("kept", { grantId: "kept" }, 60);
  await authorisationRecorder(pool)(grantOf("kept"));
  const failing = () => Promise.reject(new Error("out of reach"));
  await assert.rejects(revokeGrant(pool, "kept", failing), /out of reach/);
  assert.ok(await storage("Grant").find("kept"));
});

it("refuses a payload that is too large, as the caller's error", async () => {
  const params = { state: "x".repeat(64 * 1024) };
  await assert.rejects(storage("Interaction").upsert("large", { params }, 60), {
    error: "invalid_request",
  });
});

it("prunes expired records, and nothing else", async () => {
  await storage("Grant").upsert("old", { accountId: "old" }, -1);
  await storage("Grant").upsert("new", { accountId: "new" }, 60);
  await storage("Grant").upsert("for ever", { accountId: "for ever" });
  assert.ok(await storage("Grant").find("old"), "oidc-provider tells expired from unknown");
  assert.equal(await pruneProviderRecords(pool), 1);
  assert.equal(await pruneProviderRecords(pool), 0);
  assert.equal(await storage("Grant").find("old"), undefined);
  assert.ok(await storage("Grant").find("new"));
  assert.ok(await storage("Grant").find("for ever"));
});

function grantOf(grantId: string) {
  return {
    grantType: "authorization_code",
    clientId,
    applicationId: "reports",
    organisationId: "acme",
    subject: "urn:svc:user:1",
    audience: "urn:svc:uploads",
    scopes: [],
    address: "127.0.0.1",
    grantId,
  };
}
