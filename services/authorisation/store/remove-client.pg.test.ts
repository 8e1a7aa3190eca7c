/** A client is removed while other transactions lock what is removed with it. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { prepareDenylist } from "@stowage/access-token/postgres";
import { openPool } from "@stowage/process";
import { createTestDatabase, type TestDatabase, until } from "@stowage/process/testing";
import type pg from "pg";
import { subjectOf } from "../model/subjects.ts";
import { addPerson } from "../testing/code-flow.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { silentLogger } from "../testing/signing-keys.ts";
import { areWaiting } from "../testing/waiting-connections.ts";
import { signOutEverywhere } from "./accounts.ts";
import { removeClient } from "./clients.ts";
import { storeConsents } from "./consents.ts";
import { endSession } from "./end-sessions.ts";
import { storeGrant } from "./grants.ts";
import { authSchema } from "./migrate-store.ts";
import { storeRecord } from "./provider-records.ts";

const sessionUid = "the uid";
const cookieId = "the cookie";
let database: TestDatabase;
let pool: pg.Pool;
let subject: string;
let loginName: string;
let clientId: string;
before(async () => {
  database = await createTestDatabase(authSchema);
  pool = openPool({
    databaseUrl: database.databaseUrl,
    connectionsMax: 4,
    applicationName: "test",
    logger: silentLogger,
  });
  await prepareDenylist(pool);
});
/** A client with a consent, a part in a session, and a grant. */
beforeEach(async () => {
  await pool.query("truncate auth.provider_records");
  const person = await addPerson(pool);
  subject = subjectOf(person.accountId);
  loginName = person.loginName;
  const backChannelLogoutUri = "https://app.example/logout";
  ({ clientId } = await addOtherClient(pool, { backChannelLogoutUri }));
  await storeConsents(pool, person.accountId, clientId, [{ resource: "", scopes: ["openid"] }]);
  const payload = JSON.stringify({ uid: sessionUid, accountId: subject, authorizations: parts() });
  const record = { model: "Session", id: cookieId, payload, expiresInSeconds: 60 };
  await storeRecord(pool, { ...record, uid: sessionUid, accountId: subject });
  await makeGrant();
});
after(async () => {
  await pool.end();
  await database.drop();
});

const remove = () => removeClient(pool, clientId);

const parts = () => ({ [clientId]: { sid: "a sid", grantId: "a grant" } });

/** Makes the grant of stored consents, or adds to it. */
const makeGrant = () =>
  storeGrant(pool, {
    sessionUid,
    reason: "consented",
    accountId: subject,
    clientId,
    consents: [],
    details: null,
    expiresInSeconds: 60,
  });

/** What happens at the same time, and the record at which a lock stops it halfway. */
const others: Record<string, { act: () => Promise<unknown>; stoppedAt: string }> = {
  "gets a grant": { act: makeGrant, stoppedAt: "Session" },
  "loses a session": { act: () => endSession(pool, cookieId), stoppedAt: "Grant" },
  "loses a person": { act: () => signOutEverywhere(pool, loginName), stoppedAt: "Grant" },
};

for (const [what, { act, stoppedAt }] of Object.entries(others)) {
  describe(`a client that ${what}`, () => {
    it("is removed meanwhile", async () => {
      const [, isRemoved] = await runBoth(stoppedAt, act, remove);
      assert.equal(isRemoved, true);
      assert.deepEqual(await modelsLeft(), []);
    });

    it("is being removed already", async () => {
      const [isRemoved] = await runBoth("Grant", remove, act);
      assert.equal(isRemoved, true);
      assert.deepEqual(await modelsLeft(), []);
    });
  });
}

/** Stops one transaction at a record, lets another begin, and then both go on. */
async function runBoth(
  model: string,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<unknown[]> {
  const connection = await pool.connect();
  try {
    await connection.query("begin");
    await connection.query("select from auth.provider_records where model = $1 for update", [
      model,
    ]);
    const running = [first()];
    await until("the first waits", () => areWaiting(pool, 1));
    running.push(second());
    await until("the second waits", () => areWaiting(pool, 2));
    await connection.query("commit");
    return await Promise.all(running);
  } finally {
    connection.release();
  }
}

/** What is left of the client. */
async function modelsLeft(): Promise<string[]> {
  const { rows } = await pool.query<{ model: string }>(
    "select model from auth.provider_records where client_id = $1",
    [clientId],
  );
  return rows.map(({ model }) => model);
}
