import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { bucketLine, createUploadsDatabase, importLines } from "../testing/import.ts";
import { cleanTerms, whileCleaningTerms } from "./clean-terms.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";

let database: TestDatabase;
let pool: pg.Pool;
before(async () => {
  database = await createUploadsDatabase();
  pool = new pg.Pool({ connectionString: database.databaseUrl, max: 1 });
});
after(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(addTerms);

describe("the list of terms that are not in their index yet", () => {
  it("has the terms of uploads that were just written", async () => {
    assert.ok((await cleanedPages()) > 0);
  });

  it("is cleaned while uploads are written", async () => {
    const watching = new pg.Client(database.databaseUrl);
    await watching.connect();
    const result = await whileCleaningTerms(pool, async () => {
      const started = await once(pool, "acquire");
      while (!(await hasCleaned(watching, started[0].processID))) await sleep(10);
      return "written";
    });
    await watching.end();
    assert.equal(result, "written");
    assert.equal(await cleanedPages(), 0);
  });

  it("is left alone when the work has failed", async () => {
    const failing = whileCleaningTerms(pool, () => Promise.reject(new Error("no more lines")));
    await assert.rejects(failing, /^Error: no more lines$/);
    assert.equal(pool.totalCount, pool.idleCount);
  });

  it("does not matter to the work if it cannot be cleaned", async () => {
    const closed = new pg.Pool({ connectionString: database.databaseUrl });
    await closed.end();
    assert.equal(await whileCleaningTerms(closed, async () => "written"), "written");
  });
});

/** Writes uploads straight to the table: an import cleans the list at its end. */
async function addTerms(): Promise<void> {
  await importLines(database.databaseUrl, [
    bucketLine(bucketId),
    { upload: { path: "/", filename: "a", sizeBytes: 1 } },
  ]);
  await pool.query(`update uploads.uploads set filename_folded = gen_random_uuid()::text`);
}

async function hasCleaned(client: pg.Client, processId: number): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_stat_activity where pid = $1 and state = 'idle' and query = $2",
    [processId, cleanTerms],
  );
  return rowCount === 1;
}

async function cleanedPages(): Promise<number> {
  const { rows } = await pool.query<{ pages: string }>(
    `select pages from (${cleanTerms}) c (pages)`,
  );
  return Number(rows[0]?.pages);
}
