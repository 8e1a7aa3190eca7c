import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import type { DenylistEntry } from "@stowage/access-token";
import { inTransaction } from "@stowage/process";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { openTestPool } from "../testing/signing-keys.ts";
import { type Access, endAccess } from "./end-access.ts";
import { authSchema } from "./migrate-store.ts";
import { storeRecord } from "./provider-records.ts";

const subject = "urn:svc:user:1";
const [clientId, exchanging, stranger] = [randomUUID(), randomUUID(), randomUUID()];
let database: TestDatabase;
let pool: pg.Pool;
before(async () => {
  database = await createTestDatabase(authSchema);
  pool = openTestPool(database.databaseUrl);
});
after(async () => {
  await pool.end();
  await database.drop();
});

/** Stores a grant of the client, with so many tokens, and some of others. Returns its ID. */
async function storeGrant(tokens: number): Promise<string> {
  const grantId = randomUUID();
  await storeRecord(pool, {
    model: "Grant",
    id: grantId,
    payload: "{}",
    expiresInSeconds: 60,
    grantId,
    clientId,
    accountId: subject,
  });
  await storeTokens(clientId, grantId, tokens);
  await storeTokens(exchanging, grantId, 500);
  await storeTokens(stranger, randomUUID(), 1);
  return grantId;
}

async function storeTokens(client: string, grantId: string, count: number): Promise<void> {
  await pool.query(
    `insert into auth.authorisations (authorisation_id, grant_type, client_id, application_id,
       organisation_id, subject, audience, scopes, address, token_id, grant_id)
     select gen_random_uuid(), 'refresh_token', $4, 'reports', 'acme', $1, 'urn:a',
       '{}', '192.0.2.1', gen_random_uuid(), $2 from generate_series(1, $3)`,
    [subject, grantId, count, client],
  );
}

/** Ends access. Returns the entries, by their kind and value. */
async function entriesFor(access: Access): Promise<DenylistEntry[]> {
  const entries: DenylistEntry[] = [];
  await inTransaction(pool, (connection) =>
    endAccess(connection, access, async (entry) => void entries.push(entry)),
  );
  const now = Date.now() / 1000;
  assert.ok(entries.every(({ expiresAt = 0 }) => expiresAt >= now + 3600));
  return entries;
}

const ofExchanging = { kind: "client", value: exchanging, subject };

/** An entry without its times. */
const named = (entry: DenylistEntry | undefined) => {
  const { issuedBefore: _, expiresAt: __, ...rest } = entry as DenylistEntry & { kind: "client" };
  return rest;
};

it("a grant ends by an entry for each of its tokens, and one for who exchanged them", async () => {
  const grantId = await storeGrant(900);
  const entries = await entriesFor({ grantId });
  const own = entries.filter(({ kind }) => kind === "jti");
  assert.equal(new Set(own.map(({ value }) => value)).size, 900);
  assert.deepEqual(entries.filter(({ kind }) => kind !== "jti").map(named), [ofExchanging]);
});

it("what a person has allowed a client ends by one entry, with any number of tokens", async () => {
  await storeGrant(5000);
  const [first, second, ...others] = await entriesFor({ subject, clientId });
  assert.deepEqual(named(first), { kind: "client", value: clientId, subject });
  assert.deepEqual([named(second), others], [ofExchanging, []]);
  const { issuedBefore = 0 } = first as DenylistEntry & { kind: "client" };
  const now = Date.now() / 1000;
  assert.ok(issuedBefore > now && issuedBefore <= now + 1);
});

it("a client ends by two entries: what it gets for itself in the next minute too", async () => {
  await storeGrant(5000);
  const [first, itself, third, ...others] = await entriesFor({ clientId });
  const entry = { kind: "client", value: clientId };
  assert.deepEqual(named(first), entry);
  assert.deepEqual(named(itself), { ...entry, subject: `urn:svc:serviceaccount:${clientId}` });
  assert.deepEqual([named(third), others], [ofExchanging, []]);
  const { issuedBefore = 0 } = itself as DenylistEntry & { kind: "client" };
  assert.ok(issuedBefore > Date.now() / 1000 + 50);
});
