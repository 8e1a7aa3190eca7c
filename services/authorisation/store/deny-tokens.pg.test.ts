import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import type { DenylistEntry } from "@stowage/access-token";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { openTestPool } from "../testing/signing-keys.ts";
import { revokeGrant } from "./authorisations.ts";
import { authSchema } from "./migrate-store.ts";

const subject = "urn:svc:user:1";
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

/** Revokes a grant of so many tokens. Returns the entries. */
async function entriesFor(tokens: number): Promise<DenylistEntry[]> {
  const grantId = randomUUID();
  await pool.query(
    `insert into auth.authorisations (authorisation_id, grant_type, client_id, application_id,
       organisation_id, subject, audience, scopes, address, token_id, grant_id)
     select gen_random_uuid(), 'refresh_token', gen_random_uuid(), 'reports', 'acme', $1, 'urn:a',
       '{}', '192.0.2.1', gen_random_uuid(), $2 from generate_series(1, $3)`,
    [subject, grantId, tokens],
  );
  const entries: DenylistEntry[] = [];
  const add = async (entry: DenylistEntry) => {
    entries.push(entry);
  };
  await revokeGrant(pool, { add }, grantId);
  return entries;
}

it("a grant has an entry for each of its tokens", async () => {
  const entries = await entriesFor(1000);
  const ids = new Set(entries.map(({ kind, value }) => `${kind} ${value}`));
  assert.equal(ids.size, 1000);
  assert.ok(entries.every(({ kind }) => kind === "jti"));
});

it("a grant with very many tokens ends all tokens of its person by one entry", async () => {
  const [entry, ...others] = await entriesFor(1001);
  assert.deepEqual([entry?.kind, entry?.value, others.length], ["sub", subject, 0]);
  const { issuedBefore = 0, expiresAt = 0 } = entry as DenylistEntry & { kind: "sub" };
  const now = Date.now() / 1000;
  assert.ok(issuedBefore > now && issuedBefore <= now + 1);
  assert.ok(expiresAt >= issuedBefore + 3600);
});
