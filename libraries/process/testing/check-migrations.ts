import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { applySteps } from "../migrations/migrate.ts";
import { pictureName, readSteps, withSlash } from "../migrations/steps.ts";
import { describeSchema } from "./describe-schema.ts";
import { createTestDatabase, type TestSchema } from "./test-database.ts";
import { withClient } from "./with-client.ts";

/**
 * Holds the steps of a schema to their promises, on an empty database: each can be applied, each
 * can be applied a second time without changing anything, and together they add up to `current.sql`
 * beside them. With the environment's UPDATE_SCHEMA=1, that file is written instead of compared.
 *
 * @throws {AssertionError} with both texts when two pictures differ.
 */
export async function checkMigrations({ schema, directory }: TestSchema): Promise<void> {
  const steps = await readSteps(directory);
  const database = await createTestDatabase();
  const { databaseUrl } = database;
  try {
    for (const step of steps) {
      const known = steps.slice(0, step.number);
      await applySteps({ databaseUrl, schema, steps: known });
      const once = await describeContents(databaseUrl, schema);
      await forget(databaseUrl, schema, step.number);
      await applySteps({ databaseUrl, schema, steps: known });
      const twice = await describeContents(databaseUrl, schema);
      assert.equal(twice, once, `${step.name} changes something when it is run a second time`);
    }
    await checkPicture(await describeSchema(databaseUrl, schema), directory);
  } finally {
    await database.drop();
  }
}

const pictureHead =
  "-- What the steps beside this file add up to. A test compares; UPDATE_SCHEMA=1 rewrites it.\n\n";

async function checkPicture(description: string, directory: URL): Promise<void> {
  const file = new URL(pictureName, withSlash(directory));
  const picture = `${pictureHead}${description}`;
  if (process.env.UPDATE_SCHEMA === "1") {
    await writeFile(file, picture);
    return;
  }
  const current = await readFile(file, "utf8").catch(() => "(no file)");
  assert.equal(
    picture,
    current,
    `${pictureName} is not current: run its test with UPDATE_SCHEMA=1`,
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
