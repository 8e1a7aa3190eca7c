import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openDenylistDatabase } from "../../testing/denylist-database.ts";
import { tokenBytesMax } from "../limits.ts";
import { addDenylistEntry, prepareDenylist } from "./denylist-table.ts";

const stored = "select kind, value, issued_before, expires_at from denylist.entries";
const nowSeconds = () => Math.floor(Date.now() / 1000);

describe("addDenylistEntry()", () => {
  it("stores each kind of entry, with any text of any length", async (test) => {
    const { pool, query } = await openDenylistDatabase(test, prepareDenylist);
    const expiresAt = nowSeconds() + 60;
    await addDenylistEntry(pool, { kind: "jti", value: "a", expiresAt });
    await addDenylistEntry(pool, { kind: "sid", value: "'); drop table denylist.entries; --" });
    await addDenylistEntry(pool, { kind: "kid", value: "\\\t\u{1f511}\u2028" });
    const value = "x".repeat(tokenBytesMax);
    await addDenylistEntry(pool, { kind: "sub", value, issuedBefore: 2 ** 53 - 1 });
    await addDenylistEntry(pool, { kind: "client", value: "c", issuedBefore: 1 });
    assert.deepEqual(await query(`${stored} order by entry_id`), [
      ["jti", "a", "null", `${expiresAt}`],
      ["sid", "'); drop table denylist.entries; --", "null", "null"],
      ["kid", "\\\t\u{1f511}\u2028", "null", "null"],
      ["sub", value, `${2 ** 53 - 1}`, "null"],
      ["client", "c", "1", "null"],
    ]);
  });

  it("is part of the transaction that it is called in", async (test) => {
    const { pool, query } = await openDenylistDatabase(test, prepareDenylist);
    const client = await pool.connect();
    for (const end of ["rollback", "commit"]) {
      await client.query("begin");
      await addDenylistEntry(client, { kind: "jti", value: end });
      assert.deepEqual(await query(stored), []);
      await client.query(end);
    }
    client.release();
    assert.deepEqual(await query(stored), [["jti", "commit", "null", "null"]]);
  });

  it("needs the rights that the README names, and no others", async (test) => {
    const { pool, query } = await openDenylistDatabase(test, prepareDenylist);
    await query("revoke all on denylist.entries from current_user");
    await query("grant select, insert, update, delete on denylist.entries to current_user");
    await addDenylistEntry(pool, { kind: "jti", value: "a" });
    assert.deepEqual(await query(stored), [["jti", "a", "null", "null"]]);
  });

  it("refuses invalid entries and entries that cannot be stored, without a query", async () => {
    const database = { query: () => assert.fail("asked") };
    const refused: [entry: object, message: RegExp][] = [
      [{ kind: "iss", value: "x" }, /kind must be jti, sid, kid, sub or client/],
      [{ kind: "jti", value: "a\0b" }, /value must be without NUL/],
    ];
    for (const [entry, message] of refused) {
      const adding = addDenylistEntry(database, entry as never);
      await assert.rejects(adding, { name: "TypeError", message });
    }
  });

  it("removes a bounded number of entries that expired long ago", async (test) => {
    const { pool, query } = await openDenylistDatabase(test, prepareDenylist);
    const day = 24 * 60 * 60;
    await query(
      `insert into denylist.entries (kind, value, expires_at)
       select 'jti', 'old' || i, $1::bigint - i from generate_series(1, 250) as i`,
      [nowSeconds() - day],
    );
    await query(
      `insert into denylist.entries (kind, value, expires_at)
       values ('jti', 'recent', $1), ('jti', 'for ever', null)`,
      [nowSeconds() - day + 60],
    );
    const counts: string[] = [];
    for (const value of ["1", "2", "3"]) {
      await addDenylistEntry(pool, { kind: "sid", value });
      const [[count = ""] = []] = await query(
        "select count(*) from denylist.entries where value like 'old%'",
      );
      counts.push(count);
    }
    assert.deepEqual(counts, ["150", "50", "0"]);
    const kept = await query(`${stored} where kind = 'jti' order by value`);
    assert.deepEqual(
      kept.map(([, value]) => value),
      ["for ever", "recent"],
    );
  });

  it("does not wait for another writer that removes the same entries", async (test) => {
    const { pool, query } = await openDenylistDatabase(test, prepareDenylist);
    await query(`insert into denylist.entries (kind, value, expires_at)
      select 'jti', 'old' || i, i from generate_series(1, 50) as i`);
    const slow = await pool.connect();
    await slow.query("begin");
    await addDenylistEntry(slow, { kind: "sid", value: "slow" });
    const quick = await pool.connect();
    await quick.query("set lock_timeout = 1000");
    await addDenylistEntry(quick, { kind: "sid", value: "quick" });
    quick.release();
    assert.deepEqual(await query(`${stored} where kind = 'sid'`), [
      ["sid", "quick", "null", "null"],
    ]);
    await slow.query("commit");
    slow.release();
    assert.deepEqual(await query("select value from denylist.entries order by value"), [
      ["quick"],
      ["slow"],
    ]);
  });
});

const insert = "insert into denylist.entries (kind, value) values ('jti', 'a')";

describe("prepareDenylist()", () => {
  it("creates the table once when many programs start together", async (test) => {
    const { pool, query } = await openDenylistDatabase(test);
    await Promise.all(Array.from({ length: 8 }, () => prepareDenylist(pool)));
    await query(insert);
    await prepareDenylist(pool);
    assert.deepEqual(await query("select kind, value from denylist.entries"), [["jti", "a"]]);
  });

  it("creates the table in an existing schema without the right to create one", async (test) => {
    const { pool, query } = await openDenylistDatabase(test);
    await query("create schema denylist");
    await query(`revoke create on database ${await nameOf(query)} from current_user`);
    await Promise.all(Array.from({ length: 8 }, () => prepareDenylist(pool)));
    await query(insert);
  });

  it("needs only the right to read if the table exists", async (test) => {
    const { pool, query } = await openDenylistDatabase(test, prepareDenylist);
    await query(`revoke create on database ${await nameOf(query)} from current_user`);
    await query("revoke create on schema denylist from current_user");
    await query("revoke all on denylist.entries from current_user");
    await query("grant select on denylist.entries to current_user");
    await prepareDenylist(pool);
    await assert.rejects(query(insert), /permission denied/);
  });

  it("works in a read-only session if the table exists", async (test) => {
    const { pool, query } = await openDenylistDatabase(test, prepareDenylist);
    const client = await pool.connect();
    await client.query("set default_transaction_read_only = on");
    await prepareDenylist(client);
    client.release(true);
    assert.deepEqual(await query("select from denylist.entries"), []);
  });

  const refused: [description: string, row: string][] = [
    ["of another kind", "('iss', 'x', null, null)"],
    ["without a value", "('jti', '', null, null)"],
    ["with a value that no token can hold", "('jti', repeat('é', 4097), null, null)"],
    ["of a subject without a time", "('sub', 'x', null, null)"],
    ["of a token with a time", "('jti', 'x', 1, null)"],
    ["that expires before there was time", "('jti', 'x', null, -1)"],
    ["with a time that JavaScript cannot hold", "('sub', 'x', 9007199254740992, null)"],
  ];
  it("creates a table that accepts only valid entries", async (test) => {
    const { query } = await openDenylistDatabase(test, prepareDenylist);
    const columns = "kind, value, issued_before, expires_at";
    for (const [description, row] of refused) {
      await assert.rejects(
        query(`insert into denylist.entries (${columns}) values ${row}`),
        /violates check constraint/,
        description,
      );
    }
    await query(`insert into denylist.entries (${columns})
      values ('sub', repeat('é', 4096), 0, 9007199254740991)`);
  });
});

async function nameOf(query: (sql: string) => Promise<string[][]>): Promise<string> {
  const [[name = ""] = []] = await query("select current_database()");
  return name;
}
