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
    `insert into uploads.source_runs (bucket_id, source_id, location, ${Object.keys(run)})
     select bucket_id, source_id, location, ${Object.keys(run).map((_, index) => `$${index + 1}`)}
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

  it("says that the next run continues one that was interrupted", async () => {
    await leaveRun({ phase: "merge", changes: 3, merged_until: 2 });
    assert.equal(await result(), "interrupted while writing 66%; the next run continues it");
  });

  it("shows no share of no changes", async () => {
    await leaveRun({ phase: "merge" });
    assert.equal(await result(), "interrupted while writing; the next run continues it");
  });

  for (const [what, values, shown] of [
    ["a dry run", { is_dry_run: true, outcome: "failed" }, "failed while listing (dry run)"],
    [
      "a run that began over 24 hours ago",
      { started_at: new Date(Date.now() - 24.1 * 3_600_000) },
      "interrupted while listing",
    ],
    [
      "a run from an Inventory report",
      { inventory: "s3://reports/manifest.json" },
      "interrupted while listing",
    ],
  ] as const) {
    it(`does not say that the next run continues ${what}`, async () => {
      await leaveRun(values);
      assert.equal(await result(), shown);
    });
  }

  it("does not say that the next run continues one at a place that has changed", async () => {
    await leaveRun();
    await addSource(database.databaseUrl, "photos", "/", { location: { region: "eu-west-3" } });
    assert.equal(await result(), "interrupted while listing");
  });
});
