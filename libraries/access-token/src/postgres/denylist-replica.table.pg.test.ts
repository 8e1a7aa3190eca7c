import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { openDenylistDatabase } from "../../testing/denylist-database.ts";
import type { AccessToken } from "../access-token.ts";
import { clockToleranceSecondsMax, denylistSweepSeconds } from "../limits.ts";
import type { PostgresQueryable } from "./connection.ts";
import { DenylistReplica, DenylistTooLargeError } from "./denylist-replica.ts";
import { addDenylistEntry, prepareDenylist } from "./denylist-table.ts";

async function open(test: TestContext) {
  const database = await openDenylistDatabase(test, prepareDenylist);
  const add = (...values: string[]) =>
    database.query("insert into denylist.entries (kind, value) select 'jti', unnest($1::text[])", [
      values,
    ]);
  return { ...database, add };
}

function assertDenied(entries: DenylistReplica, expected: Record<string, boolean>): void {
  for (const [tokenId, isDenied] of Object.entries(expected)) {
    const found = entries.denied.find({ tokenId } as AccessToken, "key-1");
    assert.equal(found !== undefined, isDenied, tokenId);
  }
}

const replaced = { message: /its server or its table has been replaced$/ };

describe("the replica of the denylist", () => {
  const restores: [description: string, transactionId: string][] = [
    ["of older transactions", "'3'"],
    ["of transactions yet to come", "'18446744073709551615'"],
  ];
  for (const [description, transactionId] of restores) {
    it(`are read again when the table is restored from a dump ${description}`, async (test) => {
      const { pool, add } = await open(test);
      const entries = new DenylistReplica(Date.now);
      await add("kept", "forgotten");
      await entries.read(pool);
      const client = await pool.connect();
      await client.query("begin; truncate denylist.entries");
      await client.query(`insert into denylist.entries (transaction_id, kind, value)
        values (${transactionId}, 'jti', 'kept'), (${transactionId}, 'jti', 'restored')`);
      await client.query("commit");
      client.release();

      await assert.rejects(entries.read(pool), replaced);
      assertDenied(entries, { kept: true, forgotten: true, restored: false });
      entries.reset();
      assert.deepEqual(await entries.read(pool), { isWhole: true, entries: 2 });
      assertDenied(entries, { kept: true, forgotten: false, restored: true });
      await add("new");
      await entries.read(pool);
      assertDenied(entries, { kept: true, restored: true, new: true });
    });
  }

  it("are read again when the table is created again", async (test) => {
    const { pool, query, add } = await open(test);
    const entries = new DenylistReplica(Date.now);
    await add("old");
    await entries.read(pool);
    await query("drop schema denylist cascade");
    await assert.rejects(entries.read(pool), /does not exist$/);
    await prepareDenylist(pool);
    await add("new");
    await assert.rejects(entries.read(pool), replaced);
    entries.reset();
    await entries.read(pool);
    assertDenied(entries, { old: false, new: true });
  });

  it("are not taken from another server in the middle of a read", async (test) => {
    const [one, other] = [await open(test), await open(test)];
    await one.add(...Array.from({ length: 2001 }, (_, i) => `one ${i}`));
    await other.query("vacuum full denylist.entries");
    const entries = new DenylistReplica(Date.now);
    const servers = [one.pool, other.pool];
    const pooler: PostgresQueryable = {
      query: (text, values) => servers.shift()!.query(text, values),
    };
    await assert.rejects(entries.read(pooler), replaced);
    assertDenied(entries, { "one 0": false });
    assert.deepEqual(await entries.read(one.pool), { isWhole: true, entries: 2001 });
  });

  it("are not taken from a standby", async (test) => {
    const { pool, add } = await open(test);
    await add("a");
    const standby: PostgresQueryable = {
      query: (text, values) => pool.query(text.replace("pg_is_in_recovery()", "true"), values),
    };
    const entries = new DenylistReplica(Date.now);
    await assert.rejects(entries.read(standby), /the server is a standby, need the primary$/);
    assertDenied(entries, { a: false });
  });

  it("do not skip a row that they do not understand", async (test) => {
    const { pool, query, add } = await open(test);
    const entries = new DenylistReplica(Date.now);
    await entries.read(pool);
    await query("alter table denylist.entries drop constraint entries_kind_check");
    await query("insert into denylist.entries (kind, value) values ('client_id', 'x')");
    await add("a");
    for (let i = 0; i < 2; i++) {
      await assert.rejects(entries.read(pool), /kind must be jti, sid, kid or sub$/);
    }
    await query("delete from denylist.entries where kind = 'client_id'");
    assert.equal((await entries.read(pool)).entries, 1);
  });

  it("are complete with a driver that has custom type parsers", async (test) => {
    const { databaseUrl, query } = await open(test);
    await query(`insert into denylist.entries (kind, value, issued_before, expires_at)
      values ('sub', 'ü"\\\u{1f511}', 9007199254740991, 9007199254740991)`);
    const types = { getTypeParser: (oid: number) => (text: string) => (oid === 25 ? text : oid) };
    const client = new pg.Client({ connectionString: databaseUrl, types: types as never });
    await client.connect();
    try {
      const entries = new DenylistReplica(Date.now);
      await entries.read(client);
      const token = { subject: 'ü"\\\u{1f511}', issuedAt: Number.MAX_SAFE_INTEGER - 1 };
      assert.equal(entries.denied.find(token as AccessToken, "key-1"), "sub");
    } finally {
      await client.end();
    }
  });

  it("are removed when they have expired, and not read again", async (test) => {
    const { pool, query } = await open(test);
    let nowSeconds = 1_000_000;
    const insert = (value: string, seconds: number) =>
      query("insert into denylist.entries (kind, value, expires_at) values ('jti', $1, $2)", [
        value,
        nowSeconds + seconds,
      ]);
    const entries = new DenylistReplica(() => nowSeconds * 1000);
    await insert("long ago", -3600);
    await insert("lately", -60);
    await insert("soon", 60);
    assert.equal((await entries.read(pool)).entries, 2);
    assertDenied(entries, { "long ago": false, lately: true, soon: true });
    nowSeconds += 2 * denylistSweepSeconds;
    await entries.read(pool);
    assertDenied(entries, { lately: false, soon: true });
    nowSeconds += 3600;
    await entries.read(pool);
    assert.equal(entries.denied.size, 0);
  });

  it("are read again when a clock that was fast is set back", async (test) => {
    const { pool } = await open(test);
    let nowSeconds = 1_000_000;
    const entries = new DenylistReplica(() => nowSeconds * 1000);
    await addDenylistEntry(pool, { kind: "jti", value: "a", expiresAt: nowSeconds + 600 });
    await entries.read(pool);
    nowSeconds += 86_400;
    await entries.read(pool);
    assertDenied(entries, { a: false });
    nowSeconds -= 86_400;
    assert.deepEqual(await entries.read(pool), { isWhole: true, entries: 1 });
    assertDenied(entries, { a: true });
    nowSeconds -= clockToleranceSecondsMax;
    assert.deepEqual(await entries.read(pool), { isWhole: false, entries: 0 });
    nowSeconds -= 1;
    assert.deepEqual(await entries.read(pool), { isWhole: true, entries: 1 });
  });

  it("are refused when there are too many, not counting expired ones", async (test) => {
    const { pool, add } = await open(test);
    let nowMs = Date.now();
    const expiresAt = Math.ceil(nowMs / 1000) + 60;
    const entries = new DenylistReplica(() => nowMs, 3);
    await addDenylistEntry(pool, { kind: "jti", value: "a", expiresAt });
    await add("b", "c", "c");
    await entries.read(pool);
    await add("d");
    await assert.rejects(entries.read(pool), DenylistTooLargeError);
    entries.add({ kind: "jti", value: "own", expiresAt });
    assertDenied(entries, { a: true, b: true, c: true, own: true });
    entries.reset();
    await assert.rejects(entries.read(pool), DenylistTooLargeError);
    assertDenied(entries, { a: true, b: true, c: true });
    nowMs += 300_000;
    assert.equal((await entries.read(pool)).isWhole, true);
    assertDenied(entries, { a: false, b: true, c: true, d: true });
  });

  it("stay in force when they are added here during a full read", async (test) => {
    const { pool, add } = await open(test);
    await add("stored");
    const entries = new DenylistReplica(Date.now);
    await entries.read({
      async query(text, values) {
        const page = await pool.query(text, values);
        await addDenylistEntry(pool, { kind: "jti", value: "own" });
        entries.add({ kind: "jti", value: "own" });
        return page;
      },
    });
    assertDenied(entries, { stored: true, own: true });
  });
});
