import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { prepareDenylist } from "@stowage/access-token/postgres";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import type { SessionPayload } from "../model/session.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { openTestPool } from "../testing/signing-keys.ts";
import { endSession } from "./end-sessions.ts";
import { authSchema } from "./migrate-store.ts";
import { findSessionByOtherId } from "./session-ids.ts";
import { storeSession } from "./sessions.ts";

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

type Parts = Record<string, string>;

const partsOf = (parts: Parts) =>
  Object.fromEntries(Object.entries(parts).map(([clientId, sid]) => [clientId, { sid }]));

/** Stores a session that the request has read with these parts: of each client, its `sid`. */
async function store(
  cookieId: string,
  cookieIdBefore: string | undefined,
  parts: Parts,
  read: Parts = {},
) {
  const payload = { uid: "the uid", accountId, authorizations: partsOf(parts) };
  const ids = { cookieId, cookieIdBefore };
  const session = { ...ids, payload, partsRead: partsOf(read), isStateChanged: false };
  return await storeSession(pool, { ...session, expiresInSeconds: 60 }, "203.0.113.1");
}

async function column<T>(text: string): Promise<T[]> {
  const { rows } = await pool.query({ text, rowMode: "array" });
  return rows.flat();
}

async function stored(): Promise<SessionPayload["authorizations"][]> {
  const payloads = await column<SessionPayload>(
    "select payload from auth.provider_records where model = 'Session'",
  );
  return payloads.map(({ authorizations }) => authorizations);
}

const denied = () => column("select value from denylist.entries where kind = 'sid' order by value");
const notices = () => column("select sid from auth.logout_notices order by sid");

/** Whether an ID that is not the current one leads to the session. */
async function isFound(id: string, atAnyAge = false): Promise<boolean> {
  return (await findSessionByOtherId(pool, id, { atAnyAge })) !== undefined;
}

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

it("an ended session is not stored again by a request that read it before", async () => {
  await store("id", undefined, { [mail]: "of mail" });
  await endSession(pool, "id");
  assert.equal(await store("id", "id", { [mail]: "of mail" }), false);
  assert.equal(await store("another", "id", { [mail]: "of mail" }), false);
  assert.deepEqual(await stored(), []);
});

it("a superseded ID leads to its successor for some seconds, and ends it at any time", async () => {
  await store("id", undefined, { [mail]: "of mail" });
  await store("another", "id", {});
  assert.equal(await isFound("id"), true);
  await store("id", "id", { [photos]: "of photos" });
  assert.deepEqual(await stored(), [
    { [mail]: { sid: "of mail" }, [photos]: { sid: "of photos" } },
  ]);

  await pool.query(
    `update auth.provider_records set consumed_at = consumed_at - interval '31 s'
     where model = 'CookieId'`,
  );
  assert.deepEqual([await isFound("id"), await isFound("id", true)], [false, true]);
  assert.equal(await store("gained", "id", {}), false);
  assert.equal(await isFound("gained", true), false, "it gives nobody another ID");
  await endSession(pool, "id");
  assert.deepEqual(await stored(), []);
  assert.deepEqual(await column("select id_hash from auth.provider_records"), []);
});

it("two requests that replace an ID at once each get one that stays valid", async () => {
  await store("id", undefined, {});
  await store("first", "id", {});
  await store("second", "id", {});
  await store("third", "first", {});
  await pool.query("update auth.provider_records set consumed_at = consumed_at - interval '31 s'");
  assert.equal((await stored()).length, 1);
  assert.deepEqual([await isFound("first"), await isFound("second")], [false, true]);
  await endSession(pool, "second");
  assert.deepEqual(await stored(), []);
});

it("two sign-ins with one UID are one session", async () => {
  const ids = ["first", "second", "third"];
  await Promise.all(ids.map((id) => store(id, undefined, { [mail]: "of mail" })));
  assert.deepEqual(await stored(), [{ [mail]: { sid: "of mail" } }]);
  assert.equal((await Promise.all(ids.map((id) => isFound(id)))).filter(Boolean).length, 2);
  for (const id of ids) assert.equal(await store(id, id, {}), true);
});

it("the part of one client ends alone, and is not added again", async () => {
  const both = { [mail]: "of mail", [photos]: "of photos" };
  await store("id", undefined, both);
  await store("another", "id", { [photos]: "of photos" }, both);
  assert.deepEqual(await stored(), [{ [photos]: { sid: "of photos" } }]);
  assert.deepEqual(await denied(), ["of mail"]);
  assert.deepEqual(await notices(), ["of mail"]);
  await store("id", "id", { ...both, [mail]: "changed" }, both);
  assert.deepEqual(await stored(), [{ [photos]: { sid: "of photos" } }]);
});

it("the part of a client that another request has added does not end", async () => {
  await store("id", undefined, { [mail]: "of mail" });
  await store("id", "id", { [mail]: "of mail", [photos]: "of photos" }, { [mail]: "of mail" });
  await store("another", "id", { [mail]: "of mail" }, { [mail]: "of mail" });
  assert.deepEqual(Object.keys((await stored())[0] ?? {}).sort(), [mail, photos].sort());
  assert.deepEqual(await denied(), []);
});
