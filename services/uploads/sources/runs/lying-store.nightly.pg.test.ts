/**
 * Runs of a store that answers 200 and lies: nothing that exists is deleted, no tag is lost, and no
 * run that found a lie is called complete. Asking for single objects tells the truth.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importLines, select } from "../../import/testing/import.ts";
import type { FakeStore } from "../testing/fake-store.ts";
import { addSource, bucketId, runFake, startRunsTest } from "../testing/source-runs.ts";

const runs = Number(process.env.RUNS ?? 5);
const objects = 400;

/** Makes a store lie, before each run. `strength` is 1, 2 or 3. */
type Lie = (store: FakeStore, strength: number, run: number) => void;

const chance = (probability: number) => Math.random() < probability;

const lies: Readonly<Record<string, Lie>> = {
  "leaves out single keys": (store, strength) => {
    store.listedKeys = (keys) => keys.filter(() => !chance([0.005, 0.05, 0.5][strength - 1] ?? 0));
  },
  "ends early": (store, strength) => {
    store.listedKeys = (keys) =>
      chance(strength / 20) ? keys.slice(0, Math.floor(keys.length * Math.random())) : keys;
  },
  "hides folders": (store, strength, run) => {
    const hidden = Array.from({ length: strength * 3 }, (_, index) => `${(run + index) % 20}/`);
    store.listedKeys = (keys) =>
      keys.filter((key) => !hidden.some((folder) => key.startsWith(folder)));
  },
  "loses a little less than half, more in each run": (store, strength, run) => {
    const share = 1 - (1 - [0.1, 0.3, 0.49][strength - 1]!) ** run;
    const isLost = (key: string) => hashOf(key) < share;
    store.listedKeys = (keys) => keys.filter((key) => !isLost(key));
  },
  "answers from a replica that is behind": (store, strength) => {
    const before = [...store.objects.keys()];
    changeSome(store, strength * 5);
    store.listedKeys = (keys) => (chance(0.5) ? before : keys);
  },
  "lists what does not exist": (store, strength) => {
    const ghosts = Array.from(
      { length: strength * 20 },
      (_, index) => `${index % 20}/ghost${index}`,
    );
    store.listedKeys = (keys) => [...keys, ...ghosts];
  },
  "may only be listed, and leaves out keys": (store, strength) => {
    store.presenceOf = (key) => (store.objects.has(String(key)) ? "present" : "unlisted");
    store.listedKeys = (keys) => keys.filter(() => !chance(strength / 10));
  },
  "has a clock that jumps": (store, strength) => {
    for (const [key, object] of store.objects) {
      if (!chance(strength / 10)) continue;
      const jump = BigInt(Math.floor((Math.random() - 0.5) * 2e15));
      store.objects.set(key, { ...object, updatedAtMicros: object.updatedAtMicros + jump });
    }
  },
  "is made anew": (store, strength, run) => {
    if (run % (7 - strength) !== 0) return;
    for (const [key, { sizeBytes }] of [...store.objects]) store.put(key, sizeBytes + run);
  },
};

/** From 0 to 1, the same for the same key. */
function hashOf(key: string): number {
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) % 9973;
  return hash / 9973;
}

/** Adds and deletes objects, as people do. */
function changeSome(store: FakeStore, count: number): void {
  const keys = [...store.objects.keys()].filter((key) => !key.includes("tagged"));
  for (let number = 0; number < count; number += 1) {
    store.put(`${number % 20}/new${Math.random()}`, 1);
    store.delete(keys[Math.floor(Math.random() * keys.length)] ?? "");
  }
}

describe("a store that lies", () => {
  for (const [name, lie] of Object.entries(lies)) {
    for (const strength of [1, 2, 3]) {
      it(`and ${name} (${strength} of 3) does not lose anything`, async (context) => {
        context.diagnostic(await runLies(lie, strength));
      });
    }
  }
});

async function runLies(lie: Lie, strength: number): Promise<string> {
  const { database, pool, store, close } = await startRunsTest();
  try {
    await addSource(database.databaseUrl, "photos");
    for (let number = 0; number < objects; number += 1)
      store.put(`${number % 20}/${number}`, number);
    const tagged = Array.from({ length: 20 }, (_, index) => `${index}/tagged`);
    for (const key of tagged) store.put(key, 1);
    await runFake(pool, "photos", store, { pageSize: 100 });
    const uploads = tagged.map((key) => {
      const [folder, filename] = key.split("/");
      return { path: `/${folder}`, filename, sizeBytes: 1, tags: ["kept"] };
    });
    await importLines(
      database.databaseUrl,
      uploads.map((upload) => ({ upload })),
      { bucketId },
    );

    const outcomes: Record<string, number> = {};
    let differed = 0;
    for (let run = 1; run <= runs; run += 1) {
      const before = await indexed(database.databaseUrl);
      lie(store, strength, run);
      const end = await runFake(pool, "photos", store, { pageSize: 100 });
      outcomes[end.outcome] = (outcomes[end.outcome] ?? 0) + 1;
      differed += (end.drift?.gaps ?? 0) + (end.drift?.wrong ?? 0) + (end.drift?.ghosts ?? 0);
      const after = await indexed(database.databaseUrl);
      requireTruth({ store, before, after, isComplete: end.outcome === "complete", run, lie });
    }
    if (runs >= 10 && isFoundByLooking(lie)) assert.ok(differed > 0, "no run found it");
    const last = await indexed(database.databaseUrl);
    for (const key of tagged) assert.equal(last.get(key), "kept", `${key} lost its tag`);
    return `${JSON.stringify(outcomes)}, ${differed} differed when looked at again`;
  } finally {
    await close();
  }
}

interface RunOfLie {
  readonly store: FakeStore;
  readonly before: Index;
  readonly after: Index;
  readonly isComplete: boolean;
  readonly run: number;
  readonly lie: Lie;
}

function requireTruth({ store, before, after, isComplete, run, lie }: RunOfLie): void {
  const known = [...before.keys()];
  const lost = known.filter((key) => store.objects.has(key) && !after.has(key));
  assert.deepEqual(lost, [], `run ${run}: deleted what exists`);
  if (!isComplete || isFoundByLooking(lie)) return;
  const left = known.filter((key) => !store.objects.has(key) && after.has(key));
  assert.deepEqual(left, [], `run ${run}: complete, but has what is gone`);
}

const isFoundByLooking = (lie: Lie) => /does not exist|replica/.test(name(lie));

const name = (lie: Lie) => Object.keys(lies).find((each) => lies[each] === lie) ?? "";

/** The tag of each upload, by its key; empty if it has none. */
type Index = ReadonlyMap<string, string>;

async function indexed(databaseUrl: string): Promise<Index> {
  const rows = await select<{ key: string; tag: string }>(
    databaseUrl,
    `select concat_ws('/', nullif(ltrim(path, '/'), ''), filename) as key, coalesce(tags[1], '') as tag from uploads.uploads
     where source_id is not null`,
  );
  return new Map(rows.map(({ key, tag }) => [key, tag]));
}
