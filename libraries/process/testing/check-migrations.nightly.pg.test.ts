import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { checkMigrations } from "./index.ts";
import { writeMigrations } from "./sample-migrations.ts";

const schema = "sample";
const twiceRunnable = "create table if not exists things (id integer primary key);";

describe("checkMigrations()", () => {
  it("passes migrations that can run twice and add up to current.sql", async (test) => {
    const directory = await writeMigrations(test, { "0001-a.sql": twiceRunnable });
    await updated(test, () => checkMigrations({ schema, directory }));
    const snapshot = await readFile(new URL(`${directory.href}/current.sql`), "utf8");
    assert.match(snapshot, /^-- .*UPDATE_SCHEMA=1.*\n\nCREATE TABLE sample\.things \(/);
    await checkMigrations({ schema, directory });
  });

  it("fails without or with another current.sql", async (test) => {
    const directory = await writeMigrations(test, { "0001-a.sql": twiceRunnable });
    await assert.rejects(checkMigrations({ schema, directory }), /current\.sql is not up to date/);
    await writeFile(new URL(`${directory.href}/current.sql`), "CREATE TABLE others ();\n");
    await assert.rejects(checkMigrations({ schema, directory }), /current\.sql is not up to date/);
  });

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ["fails when run again", "create table other ();", /Cannot apply migration 0002-b/],
    [
      "adds rows when run again",
      "insert into things select count(*) from things;",
      /0002-b changes/,
    ],
    [
      "changes the schema when run again",
      "do $$ begin execute 'create table t' || (select count(*) from pg_tables) || ' ()'; end $$;",
      /0002-b changes something when it is run a second time/,
    ],
  ];
  for (const [title, sql, message] of refused) {
    it(`fails for a migration that ${title}`, async (test) => {
      const files = { "0001-a.sql": twiceRunnable, "0002-b.sql": sql, "current.sql": "" };
      const directory = await writeMigrations(test, files);
      await assert.rejects(checkMigrations({ schema, directory }), message);
    });
  }
});

async function updated(test: TestContext, action: () => Promise<void>): Promise<void> {
  process.env.UPDATE_SCHEMA = "1";
  test.after(() => delete process.env.UPDATE_SCHEMA);
  await action();
  delete process.env.UPDATE_SCHEMA;
}
