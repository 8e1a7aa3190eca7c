import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openDenylistDatabase } from "../../testing/denylist-database.ts";
import { prepareDenylist } from "./denylist-table.ts";

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

  it("gives rows of another server a transaction ID of this one", async (test) => {
    const { pool, query } = await openDenylistDatabase(test, prepareDenylist);
    await query(insert);
    await query(`insert into denylist.entries (transaction_id, kind, value)
      values ('1', 'jti', 'past'), ('18446744073709551615', 'jti', 'future')`);
    const numbers =
      "select transaction_id from denylist.entries where value <> 'future' order by entry_id";
    const before = await query(numbers);
    await Promise.all([prepareDenylist(pool), prepareDenylist(pool)]);
    const isPast = "transaction_id < pg_snapshot_xmax(pg_current_snapshot())";
    assert.deepEqual(
      await query(`select value, ${isPast} from denylist.entries order by entry_id`),
      [
        ["a", "true"],
        ["past", "true"],
        ["future", "true"],
      ],
    );
    assert.deepEqual(await query(numbers), before);
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
