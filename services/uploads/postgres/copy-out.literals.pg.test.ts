import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createLogger, openPool } from "@stowage/process";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import fc from "fast-check";
import type pg from "pg";
import sql from "sql-template-tag";
import { literalText } from "./copy-out.ts";

describe("literalText()", () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  before(async () => {
    testDatabase = await createTestDatabase();
    const logger = createLogger({ name: "test", level: "silent" });
    const { databaseUrl } = testDatabase;
    pool = openPool({ databaseUrl, applicationName: "test", connectionsMax: 1, logger });
  });
  after(async () => {
    await pool.end();
    await testDatabase.drop();
  });

  // The database has no U+0000 in texts.
  const texts = fc
    .oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("'", "\\", '"', "$", "\u0001", "\n", "a", "?", ")", ";") }),
    )
    .map((text) => text.replaceAll("\0", ""));

  async function rowOf(statement: string | pg.QueryConfig): Promise<unknown> {
    return (await pool.query(statement)).rows[0];
  }

  for (const setting of ["on", "off"]) {
    it(`means what parameters mean, standard_conforming_strings ${setting}`, async () => {
      await pool.query(`set standard_conforming_strings to ${setting}`);
      await fc.assert(
        fc.asyncProperty(
          texts,
          fc.array(texts),
          fc.maxSafeInteger(),
          async (text, list, number) => {
            const statement = sql`select ${text}::text as text, ${list}::text[] as list,
            ${number}::bigint as number, ${null}::text as nothing`;
            const { text: withParameters, values: parameters } = statement;
            const expected = await rowOf({ text: withParameters, values: parameters });
            assert.deepEqual(await rowOf(literalText(statement)), expected);
          },
        ),
        { numRuns: 500 },
      );
    });
  }

  it("refuses what it has no literal for", () => {
    for (const value of [undefined, 1.5, Number.NaN, new Date(), {}, [{}]]) {
      assert.throws(() => literalText(sql`select ${value}`), TypeError);
    }
  });
});
