import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTestDatabase } from "./index.ts";
import { writeMigrations } from "./sample-migrations.ts";
import { withClient } from "./test-database.ts";

const migrations = { "0001-a.sql": "create table things (id integer primary key);" };

describe("createTestDatabase()", () => {
  it("creates a separate database with the schema for each caller", async (test) => {
    const directory = await writeMigrations(test, migrations);
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => createTestDatabase({ schema: "sample", directory })),
    );
    for (const { databaseUrl } of databases) {
      await withClient(databaseUrl, (client) =>
        client.query("insert into sample.things values (1)"),
      );
    }
    await Promise.all(databases.map(({ drop }) => drop()));
  });

  it("makes a new template when a migration changes", async (test) => {
    const schema = "sample";
    const before = await createTestDatabase({
      schema,
      directory: await writeMigrations(test, migrations),
    });
    const changed = { "0001-a.sql": "create table others (id integer primary key);" };
    const after = await createTestDatabase({
      schema,
      directory: await writeMigrations(test, changed),
    });
    await withClient(after.databaseUrl, (client) => client.query("select from sample.others"));
    await Promise.all([before.drop(), after.drop()]);
  });

  it("creates an empty database in UTF-8 and byte order, not owned by a superuser", async () => {
    const { databaseUrl, drop } = await createTestDatabase();
    const { rows } = await withClient(databaseUrl, (client) =>
      client.query(`
        select datcollate as collation, pg_encoding_to_char(encoding) as encoding,
               rolsuper as power
        from pg_database, pg_roles where datname = current_database() and rolname = current_user`),
    );
    assert.deepEqual(rows, [{ collation: "C", encoding: "UTF8", power: false }]);
    await drop();
  });

  it("fails on drop when a connection was left open, and drops all the same", async () => {
    const { databaseUrl, drop } = await createTestDatabase();
    const ended = Promise.withResolvers<void>();
    await withClient(databaseUrl, async (client) => {
      client.on("error", () => ended.resolve());
      await assert.rejects(drop(), /still connected: stowage-test/);
      await ended.promise;
    });
  });
});
