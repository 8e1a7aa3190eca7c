import assert from "node:assert/strict";
import { after, afterEach, before, it } from "node:test";
import { prepareDenylist } from "@stowage/access-token/postgres";
import { inTransaction } from "@stowage/process";
import { createTestDatabase, type TestDatabase, until } from "@stowage/process/testing";
import type pg from "pg";
import { subjectOf } from "../model/subjects.ts";
import { addPerson } from "../testing/code-flow.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { openTestPool } from "../testing/signing-keys.ts";
import { signOutEverywhere } from "./accounts.ts";
import { endSession, endSessionByUid, endSessionsOf } from "./end-sessions.ts";
import { authSchema } from "./migrate-store.ts";
import { storeRecord } from "./provider-records.ts";

const subject = "urn:svc:user:3b0e7a52-0c43-4f37-8d0e-8a7a3d2f4b11";
let database: TestDatabase;
let pool: pg.Pool;
/** One that is told of logouts, and one that is not. */
let told = "";
let untold = "";
before(async () => {
  database = await createTestDatabase(authSchema);
  pool = openTestPool(database.databaseUrl);
  await prepareDenylist(pool);
  const backChannelLogoutUri = "https://app.example/logout";
  told = (await addOtherClient(pool, { backChannelLogoutUri })).clientId;
  untold = (await addOtherClient(pool)).clientId;
});
afterEach(() =>
  pool.query("truncate auth.provider_records, auth.logout_notices; delete from denylist.entries"),
);
after(async () => {
  await pool.end();
  await database.drop();
});

/** Stores a session in which each of the two clients has a part. */
async function store(id: string, accountId = subject): Promise<void> {
  const authorizations = {
    [told]: { sid: `${id} of told`, grantId: "a grant" },
    [untold]: { sid: `${id} of untold` },
    // As it is before the client has got anything.
    "9c1e7a52-0c43-4f37-8d0e-8a7a3d2f4b11": {},
  };
  const payload = JSON.stringify({ accountId, uid: `uid of ${id}`, authorizations });
  const record = { model: "Session", id, payload, expiresInSeconds: 60 };
  await storeRecord(pool, { ...record, uid: `uid of ${id}`, accountId });
}

async function column(text: string): Promise<unknown[]> {
  const { rows } = await pool.query({ text, rowMode: "array" });
  return rows.flat();
}

const sessionsLeft = () =>
  column(
    `select uid from auth.provider_records
     where model = 'Session' and consumed_at is null order by uid`,
  );
const denied = () => column("select value from denylist.entries where kind = 'sid' order by value");
const notices = () => column("select sid from auth.logout_notices order by sid");

it("a session that ends revokes its tokens, and its clients are told", async () => {
  await store("first");
  await store("second");
  await endSession(pool, "first");
  assert.deepEqual(await sessionsLeft(), ["uid of second"]);
  assert.deepEqual(await denied(), ["first of told", "first of untold"]);
  assert.deepEqual(await notices(), ["first of told"]);
  const { rows } = await pool.query("select client_id, subject from auth.logout_notices");
  assert.deepEqual(rows, [{ client_id: told, subject }]);
  const [seconds] = await column(
    "select (min(expires_at) - extract(epoch from now()))::int from denylist.entries",
  );
  assert.ok(Math.abs(Number(seconds) - 3660) < 10, "as long as any token of it can live");
});

it("ending a session again, or an unknown one, changes nothing", async () => {
  await store("first");
  await endSession(pool, "first");
  await endSession(pool, "first");
  await endSession(pool, "another");
  assert.equal((await denied()).length, 2);
  assert.equal((await notices()).length, 1);
});

it("a session ends completely or not at all", async () => {
  await store("first");
  await pool.query("alter table auth.logout_notices rename to elsewhere");
  await assert.rejects(endSession(pool, "first"));
  await pool.query("alter table auth.elsewhere rename to logout_notices");
  assert.deepEqual(await sessionsLeft(), ["uid of first"]);
  assert.deepEqual(await denied(), []);
});

it("all sessions of a person end with the account, and no others", async () => {
  await store("first");
  await store("second");
  await store("other", "urn:svc:user:another");
  await inTransaction(pool, (connection) => endSessionsOf(connection, subject));
  assert.deepEqual(await sessionsLeft(), ["uid of other"]);
  assert.equal((await denied()).length, 4);
  assert.deepEqual(await notices(), ["first of told", "second of told"]);
});

it("a session ends while its person is being signed out everywhere", async () => {
  const person = await addPerson(pool);
  const accountId = subjectOf(person.accountId);
  await store("first", accountId);
  await storeRecord(pool, {
    model: "Grant",
    id: "a grant",
    payload: "{}",
    expiresInSeconds: 60,
    grantId: "a grant",
    accountId,
    clientId: told,
  });
  const other = openTestPool(database.databaseUrl);
  const ended = await inTransaction(pool, async (connection) => {
    const lock = "select from auth.provider_records where model = 'Session' for update";
    await connection.query(lock);
    const signedOut = signOutEverywhere(other, person.loginName);
    await until("it waits for this transaction", async () => {
      const { rowCount } = await connection.query(
        "select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))",
      );
      return rowCount !== 0;
    });
    return { signedOut: [signedOut], isEnded: await endSessionByUid(connection, "uid of first") };
  });
  assert.equal(ended.isEnded, true);
  assert.deepEqual(await Promise.all(ended.signedOut), [true]);
  await other.end();
  assert.deepEqual(await sessionsLeft(), []);
  assert.deepEqual(
    await column("select model from auth.provider_records where model <> 'Session'"),
    [],
  );
});
