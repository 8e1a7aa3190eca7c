import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startNode, type TestDatabase } from "@stowage/process/testing";
import { createUploadsDatabase, select } from "../../import/testing/import.ts";
import { addSource } from "../../sources/testing/source-runs.ts";

const program = fileURLToPath(new URL("../sources.ts", import.meta.url));

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
  await addSource(database.databaseUrl, "photos");
});
after(() => database.drop());

/** Leaves a run without an end, with these values in place of those of an interrupted listing. */
async function leaveRun(values: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const run = { run_id: randomUUID(), holder: "a dead process", is_dry_run: false, ...values };
  await select(
    database.databaseUrl,
    `insert into uploads.source_runs (bucket_id, source_id, ${Object.keys(run)})
     select bucket_id, source_id, ${Object.keys(run).map((_, index) => `$${index + 1}`)}
     from uploads.sources`,
    Object.values(run),
  );
}

describe("sources runs", () => {
  afterEach(() => select(database.databaseUrl, "delete from uploads.source_runs"));

  async function result(): Promise<string | undefined> {
    const env = { DATABASE_URL: database.databaseUrl };
    const { stdout } = await startNode([program, "runs", "photos"], { env }).ended;
    return /:\d\dZ +- +(.*?) {2}/.exec(stdout)?.[1];
  }

  for (const [what, values, shown] of [
    ["was interrupted", {}, "interrupted while listing"],
    ["had listed everything", { phase: "delete" }, "interrupted while deleting"],
    ["was a dry run", { is_dry_run: true }, "interrupted while listing (dry run)"],
  ] as const) {
    it(`says of a run without an end that it ${what}`, async () => {
      await leaveRun(values);
      assert.equal(await result(), shown);
    });
  }
});
