import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { prepareDenylist } from "@stowage/access-token/postgres";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import type { SessionPayload } from "../model/session.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { openTestPool } from "../testing/signing-keys.ts";
import { endPart, endSession } from "./end-sessions.ts";
import { authSchema } from "./migrate-store.ts";
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
const uid = "the uid";

/** Stores a session as a request has read and changed it: the `sid` of each client. */
async function store(sids: Record<string, string>, others: SessionPayload = {}) {
  const entries = Object.entries(sids).map(([clientId, sid]) => [clientId, { sid }]);
  const payload = { uid, accountId, authorizations: Object.fromEntries(entries), ...others };
  return await storeSession(pool, { id: "id", payload, expiresInSeconds: 60, address: "::1" });
}

async function column<T>(text: string): Promise<T[]> {
  const { rows } = await pool.query({ text, rowMode: "array" });
  return rows.flat();
}

/** The session that is stored, if one is. */
async function stored(): Promise<SessionPayload | undefined> {
  const [payload] = await column<SessionPayload>(
    "select payload from auth.provider_records where model = 'Session' and consumed_at is null",
  );
  return payload;
}

const denied = () => column("select value from denylist.entries where kind = 'sid' order by value");
const notices = () => column("select sid from auth.logout_notices order by sid");

it("concurrent requests each add their client to a session", async () => {
  assert.equal(await store({}, { state: { secret: "of the page" } }), true);
  const added = [store({ [mail]: "of mail" }), store({ [photos]: "of photos" })];
  assert.deepEqual(await Promise.all(added), [false, false]);
  assert.deepEqual(await stored(), {
    uid,
    accountId,
    state: { secret: "of the page" },
    authorizations: { [mail]: { sid: "of mail" }, [photos]: { sid: "of photos" } },
  });
  assert.equal(await endSession(pool, "id"), accountId);
  assert.deepEqual(await denied(), ["of mail", "of photos"]);
});

it("an ended session is not stored again by a request that read it before", async () => {
  await store({ [mail]: "of mail" });
  await endSession(pool, "id");
  assert.equal(await store({ [mail]: "of mail" }), false);
  assert.equal(await stored(), undefined);
  assert.equal(await endSession(pool, "id"), undefined);
});

it("sign-ins at once are one session, which begins once", async () => {
  const begun = await Promise.all([1, 2, 3].map(() => store({ [mail]: "of mail" })));
  assert.equal(begun.filter(Boolean).length, 1);
  assert.deepEqual((await stored())?.authorizations, { [mail]: { sid: "of mail" } });
});

it("the part of one client ends alone, and is not added again", async () => {
  const both = { [mail]: "of mail", [photos]: "of photos" };
  await store(both);
  assert.equal(await endPart(pool, uid, mail), true);
  assert.deepEqual([await denied(), await notices()], [["of mail"], ["of mail"]]);
  await store(both);
  assert.deepEqual((await stored())?.authorizations, {
    [mail]: { endedSid: "of mail" },
    [photos]: { sid: "of photos" },
  });
  assert.equal(await endPart(pool, uid, mail), false);

  await store({ [mail]: "of the next sign-in" });
  await endSession(pool, "id");
  assert.deepEqual(await denied(), ["of mail", "of photos", "of the next sign-in"].sort());
});
