import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { createTestDatabase } from "../testing.ts";

it("a test database has the schema, and is gone after drop", async () => {
  const folder = await mkdtemp(join(tmpdir(), "stowage-steps-"));
  await writeFile(join(folder, "0001-a.sql"), "create table things (id integer primary key);");
  const database = await createTestDatabase({ schema: "sample", directory: pathToFileURL(folder) });
  const client = new pg.Client(database.databaseUrl);
  await client.connect();
  const { rows } = await client.query("select number, name from sample.migrations");
  assert.deepEqual(rows, [{ number: 1, name: "0001-a" }]);
  await client.end();
  await database.drop();
  await rm(folder, { recursive: true });
});
