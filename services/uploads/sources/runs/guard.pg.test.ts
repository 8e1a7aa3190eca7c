import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { bucketLine, importLines } from "../../import/testing/import.ts";
import { findSource } from "../source.ts";
import type { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  bucketId,
  contentsOf,
  hostname,
  type RunsTest,
  readIndex,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";
import type { RunProgress } from "./run-source.ts";

let test: RunsTest;
let database: TestDatabase;
let pool: pg.Pool;
let store: FakeStore;
beforeEach(async () => {
  test = await startRunsTest();
  ({ database, pool, store } = test);
  await addSource(database.databaseUrl, "photos", "/", { everyMs: 60_000 });
});
afterEach(() => test.close());

async function fill(): Promise<void> {
  for (let number = 0; number < 20; number++) store.put(`a/${number}`, 1);
  await runFake(pool, "photos", store);
}

describe("the guard", () => {
  it("lets everything go that the place says is gone", async () => {
    await fill();
    store.objects.clear();
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
  });

  it("keeps uploads that exist although the listing lacks them, and says so", async () => {
    await fill();
    const before = await readIndex(database.databaseUrl);
    for (const key of ["a/3", "a/4"]) store.hidden.add(key);
    const { outcome, reason, counts } = await runFake(pool, "photos", store, { isConfirmed: true });
    assert.deepEqual([outcome, counts.gone], ["stopped", 0]);
    assert.equal(
      reason,
      "the listing of s3://acme-photos/ lacks 2 uploads that exist, such as a/3; they stay. " +
        "The next run lists them again; a store that goes on so is faulty",
    );
    assert.deepEqual(await readIndex(database.databaseUrl), before);
    store.hidden.clear();
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
  });

  it("keeps uploads that the place gives no answer about", async () => {
    await fill();
    const before = await readIndex(database.databaseUrl);
    store.delete("a/3");
    store.presenceOf = () => "unknown";
    const { outcome, reason } = await runFake(pool, "photos", store);
    assert.equal(outcome, "stopped");
    assert.match(reason, /gave no answer about 1 upload that it no longer lists; they stay/);
    assert.deepEqual(await readIndex(database.databaseUrl), before);
  });

  it("stops a run that can read nothing, and gives the reason", async () => {
    await fill();
    store.unreadable.add("a/");
    const { outcome, reason } = await runFake(pool, "photos", store);
    assert.equal(outcome, "stopped");
    assert.match(reason, /^nothing in s3:\/\/acme-photos\/ can be indexed: \d+ entr/);
    assert.match(reason, / left out, such as a\/: permission denied\. If /);
  });

  it("stops a first run that finds nothing under a prefix", async () => {
    const { outcome, reason } = await runFake(pool, "photos", store);
    assert.equal(outcome, "stopped");
    assert.equal(
      reason,
      "s3://acme-photos/ has no objects. Check the bucket, the prefix and the endpoint; if it is " +
        "meant to be empty, confirm it once: stowage sources sync photos --yes",
    );
  });

  it("lets a source stay empty whose folders have settings, or folders of an import", async () => {
    for (const key of ["own/", "own/file", "above/file"]) store.put(key, 0);
    await runFake(pool, "photos", store);
    const bucket = bucketLine(bucketId, { hostname, organisationId: "acme" });
    const folders = ["/own", "/above/imported"].map((path) => ({
      folder: { path, colour: "red" },
    }));
    await importLines(database.databaseUrl, [bucket, ...folders]);
    store.objects.clear();
    await runFake(pool, "photos", store);
    const { outcome, counts } = await runFake(pool, "photos", store);
    assert.deepEqual([outcome, counts.gone], ["complete", 0]);
    const { folders: kept } = await readIndex(database.databaseUrl);
    assert.deepEqual(kept, ["/", "/above", "/above/imported", "/own"]);
  });

  it("makes the schedule wait longer after each stop, until a run completes", async () => {
    await fill();
    for (const key of store.objects.keys()) store.hidden.add(key);
    const waits: number[] = [];
    for (const _ of [1, 2, 3]) {
      await runFake(pool, "photos", store);
      const { nextRunAt } = await findSource(pool, "photos");
      waits.push(Math.round(((nextRunAt?.getTime() ?? 0) - Date.now()) / 60_000));
    }
    assert.deepEqual(waits, [1, 2, 4]);
    store.hidden.clear();
    await runFake(pool, "photos", store);
    const { failures, nextRunAt } = await findSource(pool, "photos");
    assert.equal(failures, 0);
    assert.ok((nextRunAt?.getTime() ?? 0) <= Date.now() + 60_000);
  });
});

describe("the guard, with credentials that may only list", () => {
  beforeEach(() => {
    store.presenceOf = (key) => (store.objects.has(String(key)) ? "present" : "unlisted");
  });

  it("lets deletions wait that are over half, and says what to do", async () => {
    await fill();
    const { uploads: before } = await readIndex(database.databaseUrl);
    for (let number = 0; number < 11; number++) store.delete(`a/${number}`);
    store.put("new", 1);
    const { outcome } = await runFake(pool, "photos", store);
    assert.equal(outcome, "stopped");
    assert.equal(
      (await findSource(pool, "photos")).doubt,
      "s3://acme-photos/ no longer lists 11 uploads of 21, and the credentials may not ask for " +
        "them one by one; they stay. If it is right, confirm it: " +
        "stowage sources sync photos --yes",
    );
    const { uploads } = await readIndex(database.databaseUrl);
    assert.deepEqual(uploads.slice(1), before);
    assert.match(uploads[0] ?? "", /^\/ new /);
    const { outcome: confirmed } = await runFake(pool, "photos", store, { isConfirmed: true });
    assert.equal(confirmed, "complete");
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
  });

  it("asks to confirm the report that was listed, and not another listing", async () => {
    await fill();
    for (let number = 0; number < 11; number++) store.delete(`a/${number}`);
    const inventory = "s3://reports/manifest.json";
    const { reason } = await runFake(pool, "photos", store, { inventory });
    assert.ok(reason.endsWith(`sources sync photos --yes --inventory ${inventory}`), reason);
  });

  it("lets half go, and then a quarter in a day wait", async () => {
    await fill();
    for (let number = 0; number < 10; number++) store.delete(`a/${number}`);
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
    store.delete("a/10");
    assert.equal((await runFake(pool, "photos", store)).outcome, "stopped");
  });

  it("lets over half of a folder of a hundred wait", async () => {
    for (let number = 0; number < 100; number++) store.put(`full/${number}`, 1);
    for (let number = 0; number < 300; number++) store.put(`other/${number}`, 1);
    await runFake(pool, "photos", store, { pageSize: 100 });
    for (let number = 0; number < 51; number++) store.delete(`full/${number}`);
    assert.equal((await runFake(pool, "photos", store)).outcome, "stopped");
    store.put("full/0", 1);
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
  });
});

it("the run after one that was interrupted while it deleted lists the source anew", async () => {
  await fill();
  const objects = new Map(store.objects);
  store.objects.clear();
  const stop = new AbortController();
  const onProgress = ({ phase, done }: RunProgress) => {
    if (phase === "delete" && done > 0) stop.abort(new Error("Ctrl-C"));
  };
  const options = { batchSize: 5, signal: stop.signal, onProgress };
  await assert.rejects(runFake(pool, "photos", store, options), /Ctrl-C/);
  for (const [key, object] of objects) store.objects.set(key, object);
  const { counts } = await runFake(pool, "photos", store);
  assert.deepEqual([counts.gone, counts.new], [0, 5]);
  assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
});

describe("a run that fails", () => {
  it("deletes nothing, and says why", async () => {
    await fill();
    const before = await readIndex(database.databaseUrl);
    let pages = 0;
    store.beforePage = () => {
      pages += 1;
      if (pages === 3) throw new Error("The credentials have expired; renew them: aws sso login");
    };
    store.put("new", 1);
    await assert.rejects(runFake(pool, "photos", store, { ranges: 1 }), /have expired/);
    assert.deepEqual(await readIndex(database.databaseUrl), before);
    const source = await findSource(pool, "photos");
    assert.equal(source.outcome, "failed");
    assert.equal(source.message, "The credentials have expired; renew them: aws sso login");
  });

  it("does not wait for the page that it is reading", { timeout: 20_000 }, async () => {
    await fill();
    let pages = 0;
    store.beforePage = async (signal) => {
      pages += 1;
      if (pages === 2) await once(signal, "abort");
      signal.throwIfAborted();
    };
    const onProgress = ({ done }: RunProgress) => {
      if (done > 0) throw new Error("no space left");
    };
    await assert.rejects(runFake(pool, "photos", store, { ranges: 1, onProgress }), {
      message: "no space left",
    });
  });

  it("leaves nothing behind, and the next run begins anew", async () => {
    await fill();
    let pages = 0;
    store.beforePage = () => {
      pages += 1;
      if (pages === 3) throw new Error("the directory is empty");
    };
    await assert.rejects(runFake(pool, "photos", store, { ranges: 1 }), /directory is empty/);
    const source = await findSource(pool, "photos");
    assert.deepEqual([source.outcome, source.message], ["failed", "the directory is empty"]);

    for (const key of store.objects.keys()) store.delete(key);
    store.begunAfter.length = 0;
    const { outcome } = await runFake(pool, "photos", store, { ranges: 1 });
    // It is listed once, and then looked at again.
    assert.deepEqual(store.begunAfter, [undefined, undefined]);
    assert.equal(outcome, "complete");
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
  });
});
