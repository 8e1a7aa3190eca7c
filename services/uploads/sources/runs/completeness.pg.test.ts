import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { CompletenessReader, completenessMembers } from "../../access/bucket-completeness.ts";
import { visibilityOf } from "../../access/visibility.ts";
import { select } from "../../import/testing/import.ts";
import { completenessOf } from "../../model/completeness.ts";
import { createDatabase } from "../../postgres/database.ts";
import { RawClient } from "../../postgres/raw-client.ts";
import { findSource, messageOf, progressOf, stateOf } from "../source.ts";
import type { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  bucketId,
  openTestPool,
  type RunsTest,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";

let test: RunsTest;
let database: TestDatabase;
let pool: pg.Pool;
let store: FakeStore;
beforeEach(async () => {
  test = await startRunsTest();
  ({ database, pool, store } = test);
  await addSource(database.databaseUrl, "photos", "/photos", { everyMs: 60_000 });
});
afterEach(() => test.close());

const set = (assignments: string) =>
  select(database.databaseUrl, `update uploads.sources set ${assignments} where name = 'photos'`);

describe("a source", () => {
  const photos = () => findSource(pool, "photos");

  it("is incomplete until its first run has ended, and then complete as of its begin", async () => {
    assert.equal(completenessOf(await photos()), "incomplete");
    store.put("a", 1);
    const { startedAt } = await runFake(pool, "photos", store);
    const source = await photos();
    assert.equal(completenessOf(source), "complete");
    assert.equal(source.lastCompleteAt?.getTime(), startedAt.getTime());
  });

  it("is doubtful while a part of the place cannot be read, and says which", async () => {
    for (const key of ["a/1", "b/1"]) store.put(key, 1);
    await runFake(pool, "photos", store);
    const { lastCompleteAt } = await photos();
    store.unreadable.add("a/");
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
    const source = await photos();
    assert.equal(completenessOf(source), "doubtful");
    assert.equal(
      messageOf(source),
      "1 file or folder could not be read, such as a/: permission denied. " +
        "What the index has of them stays",
    );
    assert.deepEqual(source.lastCompleteAt, lastCompleteAt);
    store.unreadable.clear();
    await runFake(pool, "photos", store);
    assert.equal(completenessOf(await photos()), "complete");
  });

  it("stays doubtful when a run fails, until one is complete", async () => {
    for (const key of ["a", "b", "c"]) store.put(key, 1);
    await runFake(pool, "photos", store);
    store.presenceOf = (key) => (store.objects.has(String(key)) ? "present" : "unlisted");
    for (const key of ["a", "b"]) store.delete(key);
    await runFake(pool, "photos", store);
    assert.equal((await photos()).waitingDeletions, 2);
    store.beforePage = () => {
      throw new Error("no network");
    };
    await assert.rejects(runFake(pool, "photos", store), /no network/);
    store.beforePage = () => undefined;
    const source = await photos();
    assert.deepEqual([stateOf(source), completenessOf(source)], ["failed", "doubtful"]);
    assert.match(messageOf(source), /^no network\. s3:.* no longer lists 2 uploads of 3/);
    await runFake(pool, "photos", store, { isConfirmed: true });
    assert.deepEqual(
      [completenessOf(await photos()), (await photos()).waitingDeletions],
      ["complete", 0],
    );
  });

  it("is old three intervals after its last complete run, never without a schedule", async () => {
    await runFake(pool, "photos", store, { isConfirmed: true });
    const source = await photos();
    const { lastCompleteAt, oldAt } = source;
    assert.ok(lastCompleteAt && oldAt);
    const afterMs = oldAt.getTime() - lastCompleteAt.getTime();
    assert.ok(afterMs >= 3 * 60_000 && afterMs < 5 * 60_000, `${afterMs}`);
    assert.equal(completenessOf(source, oldAt.getTime() + 1), "old");
    await addSource(database.databaseUrl, "photos", "/photos");
    assert.equal(completenessOf(await photos(), Number.MAX_SAFE_INTEGER), "complete");
  });

  it("shows a run that was interrupted, and how far one is that goes on", async () => {
    for (const key of ["a", "b", "c", "d"]) store.put(key, 1);
    await runFake(pool, "photos", store);
    await select(
      database.databaseUrl,
      `insert into uploads.source_runs (bucket_id, source_id, run_id, holder, is_dry_run, objects)
       select bucket_id, source_id, gen_random_uuid(), 'gone', false, 1 from uploads.sources`,
    );
    const interrupted = await photos();
    assert.equal(stateOf(interrupted), "failed");
    assert.equal(messageOf(interrupted), "The last run was interrupted. The next one begins anew");
    assert.equal(progressOf(interrupted), undefined);
    await set("lease_holder = 'gone', lease_until = clock_timestamp() + interval '1 hour'");
    const running = await photos();
    assert.deepEqual([stateOf(running), messageOf(running)], ["running", ""]);
    assert.equal(progressOf(running), 1 / 4);
  });
});

describe("a bucket", () => {
  let readers: pg.Pool;
  beforeEach(() => {
    readers = openTestPool(database.databaseUrl, { Client: RawClient });
  });
  afterEach(() => readers.end());

  async function seenIn(location: string): Promise<string> {
    const { signal } = new AbortController();
    const bucket = {
      bucketId,
      bucketNumber: 1,
      visibility: visibilityOf([location], [], undefined),
    };
    const answer = await createDatabase(readers, readers).read({ signal }, ({ readColumn }) =>
      new CompletenessReader().read(bucket, readColumn),
    );
    return completenessMembers(answer);
  }

  it("is partial while a source that the caller may see is not complete", async () => {
    await addSource(database.databaseUrl, "mail", "/mail");
    assert.equal(await seenIn("/"), ',"isPartial":true');
    await runFake(pool, "photos", store, { isConfirmed: true });
    const time = "2026-01-02T03:04:05.678";
    await set(`last_complete_at = '${time}Z'`);
    assert.equal(await seenIn("/"), ',"isPartial":true');
    assert.equal(await seenIn("/photos/2024"), `,"completeAsOf":"${time}Z","isPartial":false`);
    await set("doubt = 'something'");
    assert.equal(await seenIn("/photos"), `,"completeAsOf":"${time}Z","isPartial":true`);
    assert.equal(await seenIn("/elsewhere"), ',"isPartial":false');
  });
});
