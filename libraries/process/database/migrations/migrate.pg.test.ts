import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type Logger, MigrationError, migrate } from "../../index.ts";
import { createTestDatabase, until } from "../../testing/index.ts";
import { writeMigrations } from "../../testing/sample-migrations.ts";
import { withClient } from "../../testing/test-database.ts";

const first = { "0001-things.sql": "create table things (id integer primary key);" };
const second = {
  "0002-fill.sql": "insert into sample.things values (1);\ninsert into things values (2);",
};

async function emptyDatabase(test: TestContext): Promise<string> {
  const { databaseUrl, drop } = await createTestDatabase();
  test.after(drop);
  return databaseUrl;
}

async function query(databaseUrl: string, sql: string): Promise<readonly unknown[]> {
  return await withClient(databaseUrl, async (client) => {
    const result = await client.query({ text: sql, rowMode: "array" });
    return result.rows.map((row: readonly unknown[]) => row.join(" "));
  });
}

const applied = "select number, name from sample.migrations order by number";

describe("migrate()", () => {
  it("creates the schema and applies missing migrations in order", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    await migrate({ databaseUrl, schema: "sample", directory: await writeMigrations(test, first) });
    assert.deepEqual(await query(databaseUrl, applied), ["1 0001-things"]);

    const directory = await writeMigrations(test, { ...first, ...second });
    for (let run = 0; run < 2; run++) await migrate({ databaseUrl, schema: "sample", directory });
    assert.deepEqual(await query(databaseUrl, applied), ["1 0001-things", "2 0002-fill"]);
    assert.deepEqual(await query(databaseUrl, "select id from sample.things"), ["1", "2"]);
  });

  it("keeps schemas of one database apart", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    const directory = await writeMigrations(test, first);
    await migrate({ databaseUrl, schema: "sample", directory });
    await migrate({ databaseUrl, schema: "other", directory });
    const tables = "select schemaname from pg_tables where tablename = 'things' order by 1";
    assert.deepEqual(await query(databaseUrl, tables), ["other", "sample"]);
  });

  it("applies each migration once when many programs start together", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    const directory = await writeMigrations(test, {
      ...first,
      "0002-slow.sql": "select pg_sleep(0.1); insert into things values (1);",
      "0003-more.sql": "insert into things values (2);",
    });
    const starts = Array.from({ length: 8 }, () =>
      migrate({ databaseUrl, schema: "sample", directory }),
    );
    await Promise.all(starts);
    assert.deepEqual(await query(databaseUrl, "select id from sample.things"), ["1", "2"]);
  });

  it("says what it does, also that it waits, and ends at its signal", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    const directory = await writeMigrations(test, { ...first, ...second });
    const lines: string[] = [];
    const info = (entry: { migration?: string }, message: string) =>
      lines.push([message, entry.migration].filter(Boolean).join(" "));
    const logger = { info } as unknown as Logger;
    const stopping = new AbortController();
    await withClient(databaseUrl, async (other) => {
      await other.query("select pg_advisory_lock(hashtextextended('stowage schema sample', 0))");
      const { signal } = stopping;
      const waiting = migrate({ databaseUrl, schema: "sample", directory, logger, signal });
      await until("it waits", () => lines.length > 0);
      stopping.abort(new Error("stopped"));
      await assert.rejects(waiting, /^Error: stopped$/);
      assert.deepEqual(lines, ["waiting for another program that upgrades the schema"]);
    });
    await migrate({ databaseUrl, schema: "sample", directory, logger });
    assert.deepEqual(lines.slice(1), [
      "applying a schema migration 0001-things",
      "applied a schema migration 0001-things",
      "applying a schema migration 0002-fill",
      "applied a schema migration 0002-fill",
    ]);
  });

  it("rolls back a migration that fails, and names it", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    const directory = await writeMigrations(test, {
      ...first,
      "0002-bad.sql": "insert into things values (1);\n-- 👍\nselect nonsense;\n",
    });
    await assert.rejects(migrate({ databaseUrl, schema: "sample", directory }), (error: Error) => {
      assert.ok(error instanceof MigrationError);
      assert.equal(error.message, "Cannot apply migration 0002-bad");
      assert.match(String(error.cause), /column "nonsense" does not exist/);
      return true;
    });
    assert.deepEqual(await query(databaseUrl, applied), ["1 0001-things"]);
    assert.deepEqual(await query(databaseUrl, "select id from sample.things"), []);
  });

  it("refuses a database with migrations that the code lacks", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    const newer = await writeMigrations(test, { ...first, ...second });
    await migrate({ databaseUrl, schema: "sample", directory: newer });
    const directory = await writeMigrations(test, first);
    await assert.rejects(migrate({ databaseUrl, schema: "sample", directory }), {
      name: "MigrationError",
      message:
        'Cannot use the database: its schema "sample" has migrations that this version does not ' +
        "know, from 0002-fill on; run a newer version",
    });
  });

  it("refuses a database that another build made, however many migrations it has", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    const before = await writeMigrations(test, { ...first, ...second });
    await migrate({ databaseUrl, schema: "sample", directory: before });
    const other = { "0001-other.sql": "create table others ();" };
    for (const files of [other, { ...other, ...second, "0003-more.sql": "select nonsense;" }]) {
      const directory = await writeMigrations(test, files);
      await assert.rejects(migrate({ databaseUrl, schema: "sample", directory }), {
        name: "MigrationError",
        message:
          'Cannot use the database: its schema "sample" has migrations that this version does ' +
          "not know, from 0001-things on (need 0001-other): another build made it; export its " +
          "data with that build, and import it into an empty database",
      });
    }
    assert.deepEqual(await query(databaseUrl, applied), ["1 0001-things", "2 0002-fill"]);
  });

  it("refuses a record with a gap", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    const directory = await writeMigrations(test, { ...first, ...second });
    await migrate({ databaseUrl, schema: "sample", directory });
    await query(databaseUrl, "delete from sample.migrations where number = 1");
    await assert.rejects(
      migrate({ databaseUrl, schema: "sample", directory }),
      /does not know, from 0002-fill on \(need 0001-things\)/,
    );
  });

  it("refuses a database that is not in UTF-8", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    const name = `${new URL(databaseUrl).pathname.slice(1)}_latin`;
    await query(databaseUrl, `create database ${name} encoding latin1 template template0`);
    const latinUrl = databaseUrl.replace(/[^/]*$/, name);
    const directory = await writeMigrations(test, first);
    await assert.rejects(
      migrate({ databaseUrl: latinUrl, schema: "sample", directory }),
      /Cannot use the database: its encoding is LATIN1, need UTF8/,
    );
    await query(databaseUrl, `drop database ${name} with (force)`);
  });

  it("works for a role that may not create schemas, once the schema is there", async (test) => {
    const databaseUrl = await emptyDatabase(test);
    await query(databaseUrl, "create schema sample");
    const name = new URL(databaseUrl).pathname.slice(1);
    await query(databaseUrl, `revoke create on database ${name} from current_user`);
    const directory = await writeMigrations(test, first);
    await migrate({ databaseUrl, schema: "sample", directory });
    assert.deepEqual(await query(databaseUrl, applied), ["1 0001-things"]);
  });

  it("says that it cannot connect", async (test) => {
    const directory = await writeMigrations(test, first);
    const databaseUrl = "postgresql://nobody@127.0.0.1:1/none";
    await assert.rejects(
      migrate({ databaseUrl, schema: "sample", directory }),
      /Cannot connect to the database/,
    );
  });
});
