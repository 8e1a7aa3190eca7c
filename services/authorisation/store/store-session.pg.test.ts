import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { prepareDenylist } from "@stowage/access-token/postgres";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import type { SessionPayload } from "../overrides/sessions.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { openTestPool } from "../testing/signing-keys.ts";
import { authSchema } from "../testing/test-service.ts";
import { endSession, storeSession } from "./sessions.ts";

let database: TestDatabase;
let pool: pg.Pool;
let mail = "";
let photos = "";
before(async () => {
  database = await createTestDatabase(authSchema);
  pool = openTestPool(database.databaseUrl);
  await prepareDenylist(pool);
  const backChannelLogoutUri = "https://app.example/logout";
  mail = (await addOtherClient(pool, { backChannelLogoutUri })).clientId;
  photos = (await addOtherClient(pool)).clientId;
});
afterEach(() =>
  pool.query("truncate auth.provider_records, auth.logout_notices; delete from denylist.entries"),
);
after(async () => {
  await pool.end();
  await database.drop();
});

const accountId = "urn:svc:user:3b0e7a52-0c43-4f37-8d0e-8a7a3d2f4b11";

/** Stores a session with these parts: of each client, the ID that it knows the session by. */
async function store(id: string, idBefore: string | undefined, parts: Record<string, string>) {
  const authorizations = Object.fromEntries(
    Object.entries(parts).map(([clientId, sid]) => [clientId, { sid }]),
  );
  const payload = { uid: "the uid", accountId, authorizations };
  await storeSession(pool, { id, idBefore, payload, expiresInSeconds: 60 });
}

async function column<T>(text: string): Promise<T[]> {
  const { rows } = await pool.query({ text, rowMode: "array" });
  return rows.flat();
}

async function stored(): Promise<SessionPayload["authorizations"][]> {
  const payloads = await column<SessionPayload>("select payload from auth.provider_records");
  return payloads.map(({ authorizations }) => authorizations);
}

const denied = () => column("select value from denylist.entries where kind = 'sid' order by value");
const notices = () => column("select session_id from auth.logout_notices order by session_id");

it("concurrent requests each add their client to a session", async () => {
  await store("id", undefined, {});
  await store("id", "id", { [mail]: "of mail" });
  await store("id", "id", { [photos]: "of photos" });
  assert.deepEqual(await stored(), [
    { [mail]: { sid: "of mail" }, [photos]: { sid: "of photos" } },
  ]);
  await endSession(pool, "id");
  assert.deepEqual(await denied(), ["of mail", "of photos"]);
});

it("two requests of one client each give it an ID, and both end with the session", async () => {
  await store("id", undefined, {});
  await store("id", "id", { [mail]: "first" });
  await store("id", "id", { [mail]: "second" });
  // Somebody who read the session before either.
  await store("id", "id", {});
  await endSession(pool, "id");
  assert.deepEqual(await denied(), ["first", "second"]);
  assert.deepEqual(await notices(), ["first", "second"]);
});

it("an ended session is not stored again by a request that read it before", async () => {
  await store("id", undefined, { [mail]: "of mail" });
  await endSession(pool, "id");
  await store("id", "id", { [mail]: "of mail" });
  await store("another", "id", { [mail]: "of mail" });
  assert.deepEqual(await stored(), []);
});

it("a session with a new ID cannot be found by the old one", async () => {
  await store("id", undefined, { [mail]: "of mail" });
  await store("another", "id", { [mail]: "of mail" });
  await store("id", "id", { [mail]: "of mail" });
  assert.deepEqual(await stored(), [{ [mail]: { sid: "of mail" } }]);
  assert.deepEqual(await denied(), []);
  await endSession(pool, "another");
  assert.deepEqual(await stored(), []);
});

it("the part of one client ends alone, with a new ID", async () => {
  await store("id", undefined, { [mail]: "of mail", [photos]: "of photos" });
  await store("another", "id", { [photos]: "of photos" });
  assert.deepEqual(await stored(), [{ [photos]: { sid: "of photos" } }]);
  assert.deepEqual(await denied(), ["of mail"]);
  assert.deepEqual(await notices(), ["of mail"]);
});
