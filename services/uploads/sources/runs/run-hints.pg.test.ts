/** Small runs over a few keys that may have changed. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import fc from "fast-check";
import type pg from "pg";
import { importLines, select } from "../../import/testing/import.ts";
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
import { runHints } from "./run-hints.ts";

let test: RunsTest;
let databaseUrl: string;
let pool: pg.Pool;
let store: FakeStore;
beforeEach(async () => {
  test = await startRunsTest();
  ({ pool, store } = test);
  ({ databaseUrl } = test.database);
  await addSource(databaseUrl, "photos", "/mirror");
  for (const key of ["a/kept", "a/changed", "a/gone", "b/moved"]) store.put(key, key.length);
  await runFake(pool, "photos", store);
});
afterEach(() => test.close());

function hint(keys: readonly string[], signal = new AbortController().signal) {
  return runHints("photos", keys, {
    pool,
    openSource: async ({ mountPath }) => ({
      lister: store.lister({ pageSize: 7 }),
      mount: { prefix: "", mountPath },
    }),
    leaseMs: 60_000,
    signal,
  });
}

const uploads = async () => (await readIndex(databaseUrl, "/mirror")).uploads;
const stored = () => contentsOf(store, "/mirror").uploads;

const sourceRow = () =>
  select(
    databaseUrl,
    `select last_complete_at, known_keys, doubt, outcome, next_run_at, lease_holder, drift,
       (select count(*) from uploads.source_runs) from uploads.sources`,
  );

it("writes what differs, deletes what is gone, and leaves the source as it is", async () => {
  const before = await sourceRow();
  store.put("a/changed", 100);
  store.put("new/file", 1);
  store.delete("a/gone");
  const keys = ["a/changed", "new/file", "a/gone", "a/kept", "never/there"];
  assert.deepEqual(await hint(keys), { new: 1, changed: 1, gone: 1 });
  assert.deepEqual(await uploads(), stored());
  assert.deepEqual(await sourceRow(), before);
  // Nothing is left for a whole run.
  const { counts } = await runFake(pool, "photos", store);
  assert.deepEqual([counts.new, counts.changed, counts.gone], [0, 0, 0]);
});

it("deletes nothing that the store does not say is gone", async () => {
  const before = await uploads();
  store.presenceOf = (key) => (key === "a/gone" ? "unknown" : "unlisted");
  store.objects.clear();
  assert.deepEqual(await hint(["a/gone", "a/kept"]), { new: 0, changed: 0, gone: 0 });
  assert.deepEqual(await uploads(), before);
});

it("a moved upload keeps what it has of its own", async () => {
  const own = { path: "/mirror/b", filename: "moved", sizeBytes: 7, tags: ["final"] };
  const upload = { ...own, createdAt: "2001-02-03T04:05:06Z" };
  const { errors } = await importLines(databaseUrl, [{ upload }], { bucketId });
  assert.equal(errors, "");
  await runFake(pool, "photos", store);
  store.move("b/moved", "c/moved");
  await hint(["c/moved", "b/moved"]);
  const tagged = await select(
    databaseUrl,
    "select path, tags from uploads.uploads where tags <> '{}'",
  );
  assert.deepEqual(tagged, [{ path: "/mirror/c", tags: ["final"] }]);
});

it("does nothing while another process has the source, or it is paused", async () => {
  store.delete("a/gone");
  const set = (columns: string) => select(databaseUrl, `update uploads.sources set ${columns}`);
  await set("lease_holder = 'other', lease_until = now() + interval '1 hour'");
  await assert.rejects(hint(["a/gone"]), { name: "SourceBusyError" });
  await set("lease_holder = null, lease_until = null, is_paused = true");
  assert.deepEqual(await hint(["a/gone"]), { new: 0, changed: 0, gone: 0 });
  assert.equal((await uploads()).length, 4);
});

it("writes nothing when another process takes the source over", async () => {
  const untouched = await uploads();
  store.put("a/changed", 100);
  store.delete("a/gone");
  const lister = store.lister({ pageSize: 7 });
  const readAndLose = async (...asked: Parameters<typeof lister.read>) => {
    await select(databaseUrl, "update uploads.sources set lease_holder = 'other'");
    return await lister.read(...asked);
  };
  store.lister = () => ({ ...lister, read: readAndLose });
  await assert.rejects(hint(["a/changed", "a/gone"]), { name: "LeaseLostError" });
  assert.deepEqual(await uploads(), untouched);
});

const key = fc
  .tuple(fc.constantFrom("a", "b", "c/d"), fc.constantFrom("1", "2", "3", "é", "%41"))
  .map((segments) => segments.join("/"));
const change = fc.record({
  key,
  sizeBytes: fc.integer({ min: 0, max: 3 }),
  kind: fc.constantFrom("put", "delete"),
  fate: fc.constantFrom(...Array<string>(8).fill("arrives"), "is lost", "comes twice"),
  order: fc.nat(),
});

it("after lost, doubled and reordered hints, a whole run leaves no difference", async () => {
  const rounds = fc.array(fc.array(change, { minLength: 1, maxLength: 20 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      for (const changes of all) {
        for (const { kind, key, sizeBytes } of changes) {
          if (kind === "put") store.put(key, sizeBytes);
          else store.delete(key);
        }
        const keys = changes
          .flatMap((each) => (each.fate === "comes twice" ? [each, each] : [each]))
          .filter(({ fate }) => fate !== "is lost")
          .toSorted((a, b) => a.order - b.order)
          .map((each) => each.key);
        await hint(keys);
        const found = new Set(await uploads());
        // What was hinted at is right at once.
        for (const line of stored()) {
          const isHinted = keys.some((each) => line.startsWith(lineStart(each)));
          if (isHinted) assert.ok(found.has(line), line);
        }
      }
      await runFake(pool, "photos", store);
      assert.deepEqual(await readIndex(databaseUrl, "/mirror"), contentsOf(store, "/mirror"));
    }),
    { numRuns: 6, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  );
});

function lineStart(each: string): string {
  const at = each.lastIndexOf("/");
  const filename = each.slice(at + 1).replace("%41", "%2541");
  return `/mirror/${each.slice(0, at)} ${filename} `;
}
