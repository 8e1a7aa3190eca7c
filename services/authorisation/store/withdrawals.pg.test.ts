/** Consents that are withdrawn while a request makes a grant of them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, it } from "node:test";
import { prepareDenylist } from "@stowage/access-token/postgres";
import { openPool } from "@stowage/process";
import { createTestDatabase, type TestDatabase, until } from "@stowage/process/testing";
import type pg from "pg";
import { subjectOf } from "../model/subjects.ts";
import { addPerson } from "../testing/code-flow.ts";
import { addOtherClient } from "../testing/other-clients.ts";
import { silentLogger } from "../testing/signing-keys.ts";
import { areWaiting } from "../testing/waiting-connections.ts";
import { storeConsents } from "./consents.ts";
import { storeGrant } from "./grants.ts";
import { authSchema } from "./migrate-store.ts";
import { withdrawConsents } from "./revoke-access.ts";

let database: TestDatabase;
let pool: pg.Pool;
let accountId: string;
let clientId: string;
before(async () => {
  database = await createTestDatabase(authSchema);
  const { databaseUrl } = database;
  pool = openPool({
    databaseUrl,
    connectionsMax: 4,
    applicationName: "test",
    logger: silentLogger,
  });
  await prepareDenylist(pool);
});
beforeEach(async () => {
  ({ accountId } = await addPerson(pool));
  ({ clientId } = await addOtherClient(pool));
  await storeConsents(pool, accountId, clientId, [{ resource: "", scopes: ["openid"] }]);
});
after(async () => {
  await pool.end();
  await database.drop();
});

const withdraw = () => withdrawConsents(pool, accountId, clientId);

/** Makes a grant of the stored consents, which the request has read before. */
const makeGrant = () =>
  storeGrant(pool, {
    sessionUid: randomUUID(),
    reason: "consented" as const,
    accountId: subjectOf(accountId),
    clientId,
    consents: [],
    details: null,
    expiresInSeconds: 60,
  });

async function countGrants(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from auth.provider_records
     where model = 'Grant' and client_id = $1`,
    [clientId],
  );
  return rows[0]?.count ?? 0;
}

it("no grant is made of consents that were withdrawn meanwhile", async () => {
  await withdraw();
  assert.equal(await makeGrant(), "consentNeeded");
  assert.equal(await countGrants(), 0);
});

it("a withdrawal finds the grant that is being made", async () => {
  const connection = await pool.connect();
  try {
    // The lock stops the request after it has read the consents.
    await connection.query("begin; lock table auth.provider_records in share mode");
    const made = makeGrant();
    await until("the request waits", () => areWaiting(pool, 1));
    const withdrawn = withdraw();
    await until("the withdrawal waits", () => areWaiting(pool, 2));
    await connection.query("commit");
    assert.equal(typeof (await made), "object");
    assert.equal(await withdrawn, true);
    assert.equal(await countGrants(), 0);
  } finally {
    connection.release();
  }
});
