/** Removals of sources with more uploads than one transaction takes. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startNode } from "@stowage/process/testing";
import { select, withConnection } from "../../import/testing/import.ts";
import { openRun, updateRun } from "../../sources/runs/run.ts";
import { findSource } from "../../sources/source.ts";
import {
  addSource,
  type RunsTest,
  runFake,
  startRunsTest,
} from "../../sources/testing/source-runs.ts";

const program = fileURLToPath(new URL("../sources.ts", import.meta.url));

let test: RunsTest;
beforeEach(async () => {
  test = await startRunsTest();
  await addSource(test.database.databaseUrl, "photos", "/mirror", { everyMs: 60_000 });
  for (let number = 0; number <= 5000; number++) test.store.put(`a/${number}`, 1);
  await runFake(test.pool, "photos", test.store, { ranges: 1, pageSize: 1000 });
});
afterEach(() => test.close());

const read = (text: string) => select(test.database.databaseUrl, text);

function startRemoval(options: readonly string[]) {
  const env = { DATABASE_URL: test.database.databaseUrl };
  return startNode([program, "remove", "photos", ...options], { env });
}

async function remove(options: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await startRemoval(options).ended;
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(await read("select from uploads.sources"), []);
}

const isWaiting = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Does this while a removal waits for a row of its second transaction. */
async function whileRemoving(
  options: readonly string[],
  during: (removal: ReturnType<typeof startRemoval>) => unknown,
): Promise<void> {
  const { databaseUrl } = test.database;
  await withConnection(databaseUrl, async (client) => {
    await client.query(`begin; select from uploads.uploads
      where upload_id = (select upload_id from uploads.uploads
        order by tree_position desc, upload_id desc limit 1) for update`);
    const removal = startRemoval(options);
    while ((await read(isWaiting)).length === 0);
    await during(removal);
    await client.query("commit");
    await removal.ended;
  });
}

/** As if the lease of a killed holder had run out. */
const endLease = "update uploads.sources set lease_until = now() returning 1";

const mirrored = "select count(*)::int from uploads.uploads where source_id is not null";

describe("sources remove", () => {
  for (const options of [[], ["--keep-uploads"]]) {
    const how = ["that is interrupted", ...options].join(" with ");
    it(`${how} leaves the source paused, and can be repeated`, async () => {
      await whileRemoving(options, (removal) => removal.kill("SIGKILL"));
      assert.deepEqual(await read("select is_paused from uploads.sources"), [{ is_paused: true }]);
      assert.deepEqual(await read(mirrored), [{ count: 1 }]);
      await read(endLease);
      await remove(options);
      assert.deepEqual(await read(mirrored), [{ count: 0 }]);
      const [left] = await read(
        "select count(*)::int from uploads.uploads where source_id is null",
      );
      assert.deepEqual(left, { count: options.length === 0 ? 0 : 5001 });
    });
  }

  it("keeps a process that was suspended in a run from adding uploads again", async () => {
    await withConnection(test.database.databaseUrl, async (client) => {
      const source = await findSource(client, "photos");
      const opening = { isDryRun: false, isConfirmed: false };
      const run = await openRun(client, source, { ...opening, holder: "a suspended process" });
      await whileRemoving([], () =>
        assert.rejects(updateRun(client, run, "holder = holder"), { name: "LeaseLostError" }),
      );
    });
    assert.deepEqual(await read("select from uploads.sources"), []);
  });

  it("with --keep-uploads lets other imports in after 5,000 uploads", async () => {
    await remove(["--keep-uploads"]);
    const transactions = await read(
      "select count(*)::int from uploads.uploads group by xmin::text",
    );
    assert.deepEqual(transactions.map(({ count }) => count).toSorted(), [1, 5000]);
  });
});
