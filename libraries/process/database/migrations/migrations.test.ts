import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { writeMigrations } from "../../testing/sample-migrations.ts";
import { MigrationError, readMigrations } from "./migrations.ts";

describe("readMigrations()", () => {
  it("reads numbered files in order, and nothing else", async (test) => {
    const directory = await writeMigrations(test, {
      "0002-b-2.sql": "select 2",
      "0001-a.sql": "select 1",
      "current.sql": "snapshot",
      "README.md": "text",
    });
    assert.deepEqual(await readMigrations(directory), [
      { number: 1, name: "0001-a", sql: "select 1" },
      { number: 2, name: "0002-b-2", sql: "select 2" },
    ]);
  });

  it("reads a folder without migrations", async (test) => {
    assert.deepEqual(await readMigrations(await writeMigrations(test, {})), []);
  });

  const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["a gap", ["0001-a.sql", "0003-c.sql"], /"0003-c\.sql": need number 0002 next/],
    ["a number twice", ["0001-a.sql", "0001-b.sql"], /"0001-b\.sql": need number 0002 next/],
    ["a first number other than 1", ["0002-a.sql"], /need number 0001 next/],
    ["number 0", ["0000-a.sql"], /need number 0001 next/],
    ["a short number", ["001-a.sql"], /need a name like 0001-what\.sql/],
    ["capital letters", ["0001-A.sql"], /need a name like/],
    ["an ending in capitals", ["0001-a.SQL"], /need a name like/],
    ["a name without number", ["create.sql"], /need a name like/],
    ["no text after the number", ["0001.sql"], /need a name like/],
  ];
  for (const [title, names, message] of refused) {
    it(`refuses ${title}`, async (test) => {
      const directory = await writeMigrations(
        test,
        Object.fromEntries(names.map((name) => [name, ""])),
      );
      await assert.rejects(readMigrations(directory), (error: Error) => {
        assert.ok(error instanceof MigrationError);
        assert.match(error.message, message);
        return true;
      });
    });
  }
});
