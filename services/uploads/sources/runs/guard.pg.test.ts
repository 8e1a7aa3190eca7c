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
  it("stops a run whose listing is empty, and says what to do", async () => {
    await fill();
    const before = await readIndex(database.databaseUrl);
    store.objects.clear();
    const { outcome } = await runFake(pool, "photos", store);
    assert.equal(outcome, "stopped");
    assert.deepEqual(await readIndex(database.databaseUrl), before);
    const source = await findSource(pool, "photos");
    assert.equal(source.outcome, "stopped");
    assert.equal(
      source.message,
      "s3://acme-photos/ is empty, but the index has 20 uploads of it; nothing was deleted. " +
        "Check the bucket, the prefix and the endpoint. If it is right, confirm it: " +
        "stowage sources sync photos --yes",
    );
  });

  it("stops a run that can read nothing, and gives the reason", async () => {
    await fill();
    store.unreadable.add("a/");
    const { outcome, reason } = await runFake(pool, "photos", store);
    assert.equal(outcome, "stopped");
    assert.match(reason, /^nothing in s3:\/\/acme-photos\/ can be indexed: \d+ entr/);
    assert.match(reason, / left out, such as a\/: permission denied; nothing was deleted\. If /);
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

  it("stops a run that would delete over half, which only writes what is new", async () => {
    await fill();
    const { uploads: before } = await readIndex(database.databaseUrl);
    for (let number = 0; number < 11; number++) store.delete(`a/${number}`);
    store.put("new", 1);
    const { outcome, reason } = await runFake(pool, "photos", store);
    assert.equal(outcome, "stopped");
    assert.match(reason, /no longer has 11 uploads of 20, over half; nothing was deleted/);
    const { uploads } = await readIndex(database.databaseUrl);
    assert.deepEqual(uploads.slice(1), before);
    assert.match(uploads[0] ?? "", /^\/ new /);
  });

  it("lets half go", async () => {
    await fill();
    for (let number = 0; number < 10; number++) store.delete(`a/${number}`);
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
  });

  it("lets everything go that a person confirms", async () => {
    await fill();
    store.objects.clear();
    await runFake(pool, "photos", store);
    assert.equal((await runFake(pool, "photos", store, { isConfirmed: true })).outcome, "complete");
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
    assert.equal((await findSource(pool, "photos")).message, "");
  });

  it("lets a source stay empty that a person has confirmed to be", async () => {
    await fill();
    store.objects.clear();
    await runFake(pool, "photos", store, { isConfirmed: true });
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
    store.put("folder/", 0);
    await runFake(pool, "photos", store);
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
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
    await runFake(pool, "photos", store, { isConfirmed: true });
    const { outcome, counts } = await runFake(pool, "photos", store);
    assert.deepEqual([outcome, counts.gone], ["complete", 0]);
    const { folders: kept } = await readIndex(database.databaseUrl);
    assert.deepEqual(kept, ["/", "/above", "/above/imported", "/own"]);
  });

  it("asks to confirm the report that was listed, and not another listing", async () => {
    await fill();
    for (let number = 0; number < 11; number++) store.delete(`a/${number}`);
    const inventory = "s3://reports/manifest.json";
    const { reason } = await runFake(pool, "photos", store, { inventory });
    assert.ok(reason.endsWith(`sources sync photos --yes --inventory ${inventory}`), reason);
  });

  it("makes the schedule wait longer after each stop, until a run completes", async () => {
    await fill();
    const { objects } = { objects: new Map(store.objects) };
    store.objects.clear();
    const waits: number[] = [];
    for (const _ of [1, 2, 3]) {
      await runFake(pool, "photos", store);
      const { nextRunAt } = await findSource(pool, "photos");
      waits.push(Math.round(((nextRunAt?.getTime() ?? 0) - Date.now()) / 60_000));
    }
    assert.deepEqual(waits, [1, 2, 4]);
    for (const [key, { sizeBytes }] of objects) store.put(key, sizeBytes);
    await runFake(pool, "photos", store);
    const { failures, nextRunAt } = await findSource(pool, "photos");
    assert.equal(failures, 0);
    assert.ok((nextRunAt?.getTime() ?? 0) <= Date.now() + 60_000);
  });
});

it("the run after a confirmed one that was interrupted lists the source anew", async () => {
  await fill();
  const objects = new Map(store.objects);
  store.objects.clear();
  const stop = new AbortController();
  const onProgress = ({ phase, done }: RunProgress) => {
    if (phase === "delete" && done > 0) stop.abort(new Error("Ctrl-C"));
  };
  const options = { isConfirmed: true, batchSize: 5, signal: stop.signal, onProgress };
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
    const { outcome, reason } = await runFake(pool, "photos", store, { ranges: 1 });
    assert.deepEqual(store.begunAfter, [undefined]);
    assert.equal(outcome, "stopped");
    assert.match(reason, /is empty, but the index has 20 uploads of it; nothing was deleted/);
    await runFake(pool, "photos", store, { ranges: 1, isConfirmed: true });
    assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
  });
});
