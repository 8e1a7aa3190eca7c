import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { runOn } from "../../import/merge/statements.ts";
import { withConnection } from "../../import/testing/import.ts";
import { completenessOf } from "../../model/completeness.ts";
import { markOpened } from "../ghosts.ts";
import { StoreError } from "../s3/store-error.ts";
import { findSource } from "../source.ts";
import type { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  bucketId,
  contentsOf,
  type RunsTest,
  readIndex,
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
  await addSource(database.databaseUrl, "photos");
  for (const key of ["a", "b", "c", "d"]) store.put(key, 1);
  await runFake(pool, "photos", store);
});
afterEach(() => test.close());

/** Lists all objects in one page. Calls `then` before the store is looked at again. */
function runThen(then: () => void) {
  let pages = 0;
  store.beforePage = () => {
    pages += 1;
    if (pages === 3) then();
  };
  return runFake(pool, "photos", store, { pageSize: 1000, ranges: 1 });
}

const reading = "reading parts of s3://acme-photos/ again showed";

describe("looking again", () => {
  it("says how many objects were read again, and that none differed", async () => {
    const { outcome, drift } = await runThen(() => undefined);
    assert.equal(outcome, "complete");
    assert.deepEqual([drift?.looked, drift?.example], [4, undefined]);
    const { lookedAgain, differed } = await findSource(pool, "photos");
    assert.deepEqual([lookedAgain, differed], [8, 0]);
  });

  it("finds what the listing had left out, and the next run adds it", async () => {
    store.put("new", 1);
    store.hidden.add("new");
    const { outcome, reason, drift } = await runThen(() => store.hidden.clear());
    assert.deepEqual([outcome, drift?.gaps], ["stopped", 1]);
    assert.ok(reason.startsWith(`${reading} 1 file that the listing had left out, such as new.`));
    const source = await findSource(pool, "photos");
    assert.deepEqual([completenessOf(source), source.differed], ["doubtful", 1]);
    assert.equal((await runThen(() => undefined)).outcome, "complete");
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
  });

  it("finds what the listing had from an earlier time", async () => {
    const { reason } = await runThen(() => store.put("b", 2));
    assert.ok(reason.startsWith(`${reading} 1 file that it had with another size or time`));
  });

  it("does not judge what may have changed meanwhile", async () => {
    const updatedAtMicros = BigInt(Date.now()) * 1000n;
    const { drift } = await runThen(() =>
      store.objects.set("b", { sizeBytes: 9, updatedAtMicros }),
    );
    assert.deepEqual([drift?.looked, drift?.wrong], [3, 0]);
  });

  it("judges nothing if the store refuses to list from there", async () => {
    const { outcome, drift } = await runThen(() => {
      throw new StoreError("the store does not have this kind of request");
    });
    assert.deepEqual([outcome, drift?.looked], ["complete", 0]);
  });

  it("asks first for what was not as the index says when somebody opened it", async () => {
    store.presenceOf = (key) => (key === "c" ? "absent" : "present");
    await withConnection(database.databaseUrl, async (client) => {
      for (const filename of ["b", "c"]) {
        await markOpened(runOn(client), { bucketId, path: "/", filename });
      }
    });
    const { outcome, counts } = await runThen(() => undefined);
    assert.deepEqual([outcome, counts.gone, counts.unchanged], ["complete", 1, 3]);
  });

  it("finds ghosts; the next run removes them, until they exist", async () => {
    store.presenceOf = (key) => (key === "c" ? "absent" : "present");
    const { reason, drift } = await runThen(() => undefined);
    assert.equal(drift?.ghosts, 1);
    assert.ok(reason.startsWith(`${reading} 1 file that it has and that do not exist, such as c.`));
    const { outcome, counts } = await runThen(() => undefined);
    assert.deepEqual([outcome, counts.gone], ["complete", 1]);
    assert.equal((await readIndex(database.databaseUrl)).uploads.length, 3);
    assert.equal((await runThen(() => undefined)).outcome, "complete");
    store.presenceOf = () => "present";
    assert.equal((await runThen(() => undefined)).counts.new, 1);
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
  });
});
