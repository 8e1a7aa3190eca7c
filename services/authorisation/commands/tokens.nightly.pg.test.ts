import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { runToEnd } from "../testing/run-program.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

function revoke(...commandLine: string[]) {
  const environment = { DATABASE_URL: database.databaseUrl };
  return runToEnd("commands/tokens.ts", ["revoke", ...commandLine], environment);
}

interface Row {
  kind: string;
  value: string;
  issued_before: string | null;
  expires_at: string | null;
}

async function lastEntry(): Promise<Row | undefined> {
  const client = new pg.Client(database.databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<Row>(`
      select kind, value, issued_before, expires_at
      from denylist.entries order by entry_id desc limit 1`);
    return rows[0];
  } finally {
    await client.end();
  }
}

describe("tokens revoke", () => {
  it("writes an entry, even into a database without a denylist", async () => {
    const day = 24 * 3600;
    for (const [option, kind, keptSeconds] of [
      ["--jti", "jti", day],
      ["--sid", "sid", day],
      ["--kid", "kid", undefined],
    ] as const) {
      const before = Math.floor(Date.now() / 1000);
      const { code, stdout, stderr } = await revoke(option, `a "${kind}"`);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^revoked (token|session|key) "a \\"\w+\\""; the entry is kept /);
      const entry = await lastEntry();
      assert.deepEqual(
        [entry?.kind, entry?.value, entry?.issued_before],
        [kind, `a "${kind}"`, null],
      );
      if (keptSeconds === undefined) assert.equal(entry?.expires_at, null);
      else assert.ok(Number(entry?.expires_at) >= before + keptSeconds);
    }
  });

  it("says whether the token is on record", async () => {
    const tokenId = randomUUID();
    const client = new pg.Client(database.databaseUrl);
    await client.connect();
    await client.query(
      `insert into auth.authorisations (authorisation_id, grant_type, client_id, application_id,
         organisation_id, subject, audience, scopes, address, token_id)
       values ($1, 'client_credentials', $1, 'reports', 'acme', 'urn:b', 'urn:a', '{}',
         '192.0.2.1', $1)`,
      [tokenId],
    );
    await client.end();
    assert.doesNotMatch((await revoke("--jti", tokenId)).stdout, /the audit log/);
    for (const other of [randomUUID(), "foo"]) {
      assert.match(
        (await revoke("--jti", other)).stdout,
        /\nthe audit log has no token with this ID/,
      );
    }
  });

  it("revokes a subject's tokens up to now", async () => {
    const before = Math.floor(Date.now() / 1000);
    await revoke("--subject", "urn:svc:user:7");
    const now = Number((await lastEntry())?.issued_before);
    assert.ok(now > before && now <= Date.now() / 1000 + 1, "all of this second");
  });

  const misuses = [
    [],
    ["--jti", "a", "--sid", "b"],
    ["--grant", "a", "--sid", "b"],
    ["--grant", "a", "--client", "6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f"],
    ["--jti", "a", "--login-name", "ada"],
    ["--jti", ""],
    ["--jti", "a\nb"],
    ["--jti", "x".repeat(8193)],
    ["a"],
  ];
  for (const misuse of misuses) {
    it(`refuses ${JSON.stringify(misuse).slice(0, 60)}`, async () => {
      const { code, stdout, stderr } = await revoke(...misuse);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^stowage: .*; see stowage .* --help\n$/);
    });
  }
});
