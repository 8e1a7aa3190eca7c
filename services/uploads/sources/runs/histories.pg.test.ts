/** Random histories of a store, with runs that are interrupted anywhere, against a model. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type pg from "pg";
import type { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  contentsOf,
  readIndex,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";

const segment = fc.constantFrom("a", "b", "a b", "a\u0001", "%", "%41", "..", "", "é", "😀");
const key = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join("/"))
  .filter((text) => text !== "" && text !== "/");
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ put: key, sizeBytes: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ gone: key }) },
);
const step = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 30 }),
  // The event after which the run is interrupted; often it ends before.
  interruptedAfter: fc.option(fc.integer({ min: 1, max: 12 })),
  ranges: fc.integer({ min: 1, max: 4 }),
  divides: fc.boolean(),
});

it("after any history of changes and interruptions, the index is what the store is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const { database, pool, store, close } = await startRunsTest();
      try {
        await addSource(database.databaseUrl, "photos", "/mirror");
        for (const each of steps) await take(each, store, pool);
        await runFake(pool, "photos", store, { isConfirmed: true });
        // That run may have continued an older listing; the next one is of the present.
        await runFake(pool, "photos", store, { isConfirmed: true });
        assert.deepEqual(await read(database.databaseUrl), contentsOf(store, "/mirror"));
      } finally {
        await close();
      }
    }),
    { numRuns: 8, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  );
});

const read = (databaseUrl: string) => readIndex(databaseUrl, "/mirror");

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(
  { changes, interruptedAfter, ranges, divides }: Step,
  store: FakeStore,
  pool: pg.Pool,
): Promise<void> {
  for (const each of changes) {
    if ("put" in each) store.put(each.put, each.sizeBytes);
    else store.delete(each.gone);
  }
  const stop = new AbortController();
  let events = 0;
  const onProgress = () => {
    events += 1;
    if (events === interruptedAfter) stop.abort(new Error("interrupted"));
  };
  // Only ranges of several pages are divided, so pages are small.
  const pageSize = divides ? 1 : 3;
  const options = { ranges, divides, pageSize, batchSize: 4, isConfirmed: true };
  await runFake(pool, "photos", store, { ...options, signal: stop.signal, onProgress }).catch(
    (error) => {
      if (!stop.signal.aborted) throw error;
    },
  );
}
