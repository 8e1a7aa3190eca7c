/** IDs of sessions count only in the members that contain them, and nowhere else in a record. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, it } from "node:test";
import { prepareDenylist } from "@stowage/access-token/postgres";
import { openPool } from "@stowage/process";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { silentLogger } from "../testing/signing-keys.ts";
import { authorisationRecorder } from "./authorisations.ts";
import { authSchema } from "./migrate-store.ts";
import { storeRecord } from "./provider-records.ts";
import { revokeSession } from "./revoke-access.ts";

const accountId = "urn:svc:user:3b0e7a52-0c43-4f37-8d0e-8a7a3d2f4b11";
const clientId = randomUUID();
let database: TestDatabase;
let pool: pg.Pool;
before(async () => {
  database = await createTestDatabase(authSchema);
  const { databaseUrl } = database;
  const connection = { connectionsMax: 2, applicationName: "test", logger: silentLogger };
  pool = openPool({ databaseUrl, ...connection });
  await prepareDenylist(pool);
});
beforeEach(() => pool.query("truncate auth.provider_records"));
after(async () => {
  await pool.end();
  await database.drop();
});

async function store(model: string, id: string, payload: object, grantId?: string) {
  const { uid } = payload as { uid?: string };
  const record = { model, id, payload: JSON.stringify(payload), expiresInSeconds: 60 };
  await storeRecord(pool, { ...record, grantId, uid, accountId, clientId });
}

/** Records a token whose code was issued in a session. Returns the `sid` of the token. */
async function sidOfToken(sessionUid: string, sid: string): Promise<string | undefined> {
  const recorded = await authorisationRecorder(pool)({
    grantType: "authorization_code",
    clientId,
    applicationId: "a",
    organisationId: "acme",
    subject: accountId,
    audience: "urn:a",
    scopes: [],
    address: "192.0.2.1",
    grantId: "a grant",
    sid,
    sessionUid,
  });
  return recorded.sid;
}

it("a token belongs to a session in which a client has its sid", async () => {
  await store("Grant", "a grant", {}, "a grant");
  const authorizations = { [clientId]: { sid: "the sid", grantId: "another text" } };
  await store("Session", "cookie", { uid: "the uid", authorizations });
  assert.equal(await sidOfToken("the uid", "the sid"), "the sid");
  assert.equal(await sidOfToken("the uid", "another text"), undefined);
  assert.equal(await sidOfToken("the uid", "the"), undefined);
  assert.equal(await sidOfToken("another uid", "the sid"), undefined);
});

it("a session that is revoked takes its own logins along, and no others", async () => {
  const authorizations = { [clientId]: { sid: "a sid", grantId: "of the session" } };
  await store("Session", "cookie", { uid: "the uid", authorizations });
  await store("RefreshToken", "own", { sessionUid: "the uid" }, "of its login");
  await store(
    "RefreshToken",
    "other",
    { sessionUid: "another uid", nonce: "the uid" },
    "of another",
  );
  await store("AuthorizationCode", "code", { sid: "another", nonce: "a sid" }, "of a third");
  assert.equal(await revokeSession(pool, "a sid"), 2);
  const { rows } = await pool.query(
    "select grant_id as id from auth.provider_records where grant_id is not null order by id",
  );
  assert.deepEqual(
    rows.map(({ id }) => id),
    ["of a third", "of another"],
  );
});
