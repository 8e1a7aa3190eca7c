import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { inTransaction } from "@stowage/process";
import { createTestDatabase, type TestDatabase, until } from "@stowage/process/testing";
import type pg from "pg";
import { openTestPool } from "../testing/signing-keys.ts";
import { authSchema } from "./migrate-store.ts";
import { findSessionsOfProvider } from "./provider-accounts.ts";
import { recordIdHash, removeGrants, removeRecords, storeRecord } from "./provider-records.ts";

let database: TestDatabase;
let pool: pg.Pool;
let other: pg.Pool;
before(async () => {
  database = await createTestDatabase(authSchema);
  pool = openTestPool(database.databaseUrl);
  other = openTestPool(database.databaseUrl);
});
after(async () => {
  await Promise.all([pool.end(), other.end()]);
  await database.drop();
});

it("grants are locked in the order of their IDs, whatever their order in the table", async () => {
  const accountId = `urn:svc:user:${randomUUID()}`;
  const hashOf = (id: string) => recordIdHash(id).toString("hex");
  const ids = ["a", "b", "c", "d"].sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
  for (const id of ids.toReversed()) {
    await storeRecord(pool, {
      model: "Grant",
      id,
      payload: "{}",
      expiresInSeconds: 60,
      grantId: id,
      accountId,
    });
  }
  const lock = `select from auth.provider_records where model = 'Grant' and id_hash = $1
                for update`;
  const removing = await inTransaction(pool, async (connection) => {
    await connection.query(lock, [recordIdHash(ids[0] ?? "")]);
    const removed = inTransaction(other, (client) => removeGrants(client, { accountId }));
    await until("it waits for this transaction", async () => {
      const { rowCount } = await connection.query(
        "select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))",
      );
      return rowCount !== 0;
    });
    await connection.query(lock, [recordIdHash(ids.at(-1) ?? "")]);
    return [removed];
  });
  assert.deepEqual((await Promise.all(removing))[0]?.sort(), ["a", "b", "c", "d"]);
});

for (const column of ["client_id", "account_id"]) {
  it(`records are found by their ${column}, and not in the whole table`, async () => {
    await pool.query(
      `insert into auth.provider_records (model, id_hash, payload, grant_id, ${column})
       select 'Grant', sha256(convert_to('${column}' || id, 'UTF8')), '{}', id, id
       from (select gen_random_uuid()::text as id from generate_series(1, 5000)) as others`,
    );
    await pool.query("analyze auth.provider_records");
    const id = randomUUID();
    const owner = column === "client_id" ? { clientId: id } : { accountId: id };
    await inTransaction(pool, async (connection) => {
      const before = await rowsReadBy(connection);
      await removeRecords(connection, owner);
      assert.equal(await rowsReadBy(connection), before);
    });
  });
}

it("sessions are found by their session at another provider, and not among all", async () => {
  await pool.query(
    `insert into auth.provider_records (model, id_hash, payload)
     select 'Session', sha256(convert_to('acr' || id, 'UTF8')), json_build_object('acr', id)
     from generate_series(1, 5000) as id`,
  );
  await pool.query("analyze auth.provider_records");
  await inTransaction(pool, async (connection) => {
    const before = await rowsReadBy(connection);
    await findSessionsOfProvider(connection, "none");
    assert.equal(await rowsReadBy(connection), before);
  });
});

/** How many rows of the table a connection has read in its transaction. */
async function rowsReadBy(connection: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await connection.query<{ count: string }>(
    `select seq_tup_read + idx_tup_fetch as count from pg_stat_xact_user_tables
     where relid = 'auth.provider_records'::regclass`,
  );
  return rows[0]?.count;
}
