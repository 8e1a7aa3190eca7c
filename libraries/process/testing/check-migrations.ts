import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMigrations } from "../database/migrations/migrate.ts";
import { readMigrations } from "../database/migrations/migrations.ts";
import { describeSchema } from "./describe-schema.ts";
import { createTestDatabase, type TestSchema, withClient } from "./test-database.ts";

/**
 * Checks the migrations of a schema on an empty database. Each must apply, must change nothing when
 * it is applied a second time, and all together must result in `current.sql`. With UPDATE_SCHEMA=1
 * in the environment, this writes that file instead of comparing it.
 *
 * @throws {AssertionError} with both texts if two snapshots differ.
 */
export async function checkMigrations({ schema, directory }: TestSchema): Promise<void> {
  const migrations = await readMigrations(directory);
  const database = await createTestDatabase();
  const { databaseUrl } = database;
  try {
    for (const migration of migrations) {
      const known = migrations.slice(0, migration.number);
      await applyMigrations({ databaseUrl, schema, migrations: known });
      const once = await describeContents(databaseUrl, schema);
      await forget(databaseUrl, schema, migration.number);
      await applyMigrations({ databaseUrl, schema, migrations: known });
      const twice = await describeContents(databaseUrl, schema);
      assert.equal(twice, once, `${migration.name} changes something when it is run a second time`);
    }
    await checkSnapshot(await describeSchema(databaseUrl, schema), directory);
  } finally {
    await database.drop();
  }
}

const snapshotHead =
  "-- The schema after all migrations. A test compares it; UPDATE_SCHEMA=1 rewrites it.\n\n";

async function checkSnapshot(description: string, directory: URL): Promise<void> {
  const file = join(fileURLToPath(directory), "current.sql");
  const snapshot = `${snapshotHead}${description}`;
  if (process.env.UPDATE_SCHEMA === "1") {
    await writeFile(file, snapshot);
    return;
  }
  const current = await readFile(file, "utf8").catch(() => "(no file)");
  assert.equal(
    snapshot,
    current,
    "current.sql is not up to date: run its test with UPDATE_SCHEMA=1",
  );
}

async function forget(databaseUrl: string, schema: string, number: number): Promise<void> {
  await withClient(databaseUrl, (client) =>
    client.query(`delete from ${schema}.migrations where number = $1`, [number]),
  );
}

/** The schema, and how many rows each of its tables has. */
async function describeContents(databaseUrl: string, schema: string): Promise<string> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ text: string }>(
      `select format('%s: %s rows', c.oid::regclass, (xpath('//n/text()', query_to_xml(
         format('select count(*) as n from %s', c.oid::regclass), false, true, '')))[1]) as text
       from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p')
       order by c.relname`,
      [schema],
    ),
  );
  const counts = rows.map(({ text }) => `-- ${text}\n`).join("");
  return `${await describeSchema(databaseUrl, schema)}${counts}`;
}
