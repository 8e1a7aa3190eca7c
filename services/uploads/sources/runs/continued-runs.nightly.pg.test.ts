import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { ListedObject } from "../lister.ts";
import { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  contentsOf,
  type RunsTest,
  readIndex,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";

describe("the run after one that was interrupted", () => {
  let test: RunsTest;
  let store: FakeStore;
  beforeEach(async () => {
    test = await startRunsTest();
    ({ store } = test);
    await addSource(test.database.databaseUrl, "photos");
    for (let number = 0; number < 60; number++) store.put(`${number % 7}/${number}.jpg`, number);
  });
  afterEach(() => test.close());

  const inventory = "s3://reports/manifest.json";

  async function interruptWhileListing(reportMd5?: string, divides = false): Promise<void> {
    const stop = new AbortController();
    const onProgress = ({ done }: { done: number }) => {
      if (done > store.objects.size / 2) stop.abort(new Error("interrupted"));
    };
    const report = reportMd5 === undefined ? {} : { inventory, reportMd5 };
    const options = { signal: stop.signal, onProgress, ranges: 1, divides, ...report };
    await assert.rejects(runFake(test.pool, "photos", store, options), /interrupted/);
  }

  async function assertMirrors(mirrored: FakeStore): Promise<void> {
    assert.deepEqual(await readIndex(test.database.databaseUrl), contentsOf(mirrored));
  }

  it("goes on from the checkpoint, even after a dry run", async () => {
    await interruptWhileListing();
    const { counts } = await runFake(test.pool, "photos", store, { isDryRun: true });
    assert.equal(counts.new, 60);
    store.begunAfter.length = 0;
    await runFake(test.pool, "photos", store, { ranges: 1 });
    assert.notEqual(store.begunAfter[0], undefined);
    await assertMirrors(store);
  });

  it("goes on in every part of a range that was divided while it was listed", async () => {
    for (let number = 60; number < 600; number++) store.put(`${number % 7}/${number}.jpg`, number);
    await interruptWhileListing(undefined, true);
    const parts = store.begunAfter.slice(1);
    assert.ok(parts.length > 0);
    store.begunAfter.length = 0;
    const { counts } = await runFake(test.pool, "photos", store, { ranges: 1 });
    assert.equal(counts.objects, 600);
    assert.ok(store.begunAfter.length > 1, `goes on after ${store.begunAfter}`);
    assert.ok(!store.begunAfter.includes(undefined));
    await assertMirrors(store);
  });

  it("goes on from the checkpoint if only the schedule was changed", async () => {
    await interruptWhileListing();
    await addSource(test.database.databaseUrl, "photos", "/", { everyMs: 60_000 });
    store.begunAfter.length = 0;
    await runFake(test.pool, "photos", store, { ranges: 1 });
    assert.notEqual(store.begunAfter[0], undefined);
  });

  it("goes on from the checkpoint after one whose report could not be opened", async () => {
    await interruptWhileListing();
    const openSource = () => Promise.reject(new Error("no such report"));
    const options = { inventory: "s3://reports/none.json", openSource };
    await assert.rejects(runFake(test.pool, "photos", store, options), /no such report/);
    store.begunAfter.length = 0;
    await runFake(test.pool, "photos", store, { ranges: 1 });
    assert.notEqual(store.begunAfter[0], undefined);
  });

  it("goes on before a page with an object that made it fail", async () => {
    const failing = store.lister({ pageSize: 7 });
    const openSource = async () => ({
      lister: {
        ...failing,
        async *list(...parameters: Parameters<typeof failing.list>) {
          for await (const page of failing.list(...parameters)) {
            const wrong = { ...page.objects[3], updatedAtMicros: 1 };
            yield { ...page, objects: page.objects.with(3, wrong as unknown as ListedObject) };
          }
        },
      },
      mount: { prefix: "", mountPath: "/" },
    });
    await assert.rejects(runFake(test.pool, "photos", store, { openSource }), TypeError);
    await runFake(test.pool, "photos", store);
    await assertMirrors(store);
  });

  it("begins anew if only one of the two runs reads a report", async () => {
    const report = { inventory, reportMd5: "a" };
    for (const [before, options] of [
      [undefined, report],
      [report.reportMd5, {}],
    ] as const) {
      await interruptWhileListing(before);
      store.begunAfter.length = 0;
      await runFake(test.pool, "photos", store, { ranges: 1, ...options });
      assert.equal(store.begunAfter[0], undefined);
    }
    await assertMirrors(store);
  });

  for (const change of [
    { endpoint: "https://store.example.com" },
    { region: "eu-central-1" },
    { profile: "other" },
    { versions: true },
  ]) {
    it(`begins anew if sources add was given another ${Object.keys(change)}`, async () => {
      await interruptWhileListing();
      await addSource(test.database.databaseUrl, "photos", "/", { location: change });
      const other = new FakeStore();
      for (const key of ["0/first.jpg", "6/last.jpg"]) other.put(key, 1);
      const { counts } = await runFake(test.pool, "photos", other, { ranges: 1 });
      assert.deepEqual([counts.objects, counts.new], [2, 2]);
      await assertMirrors(other);
    });
  }
});
