/**
 * Walks over all pages of a list while syncs add, change and delete uploads, against a model: an
 * upload that exists for the whole walk with an unchanged sort key comes exactly once.
 * `HISTORIES=200 npm test -- lists/walks` is the long form.
 */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createLogger, openPool } from "@stowage/process";
import fc from "fast-check";
import type pg from "pg";
import { readUploads } from "../answers/testing/read-uploads.ts";
import { bucketLine, importLines } from "../import/testing/import.ts";
import { createDatabase } from "../postgres/database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import {
  addSource,
  bucketId,
  type RunsTest,
  runFake,
  startRunsTest,
} from "../sources/testing/source-runs.ts";
import { listUploadsOn } from "./testing/call-list.ts";

const histories = Number(process.env.HISTORIES ?? 3);

const member = {
  filename: "filename",
  size_bytes: "sizeBytes",
  created_at: "createdAt",
  updated_at: "updatedAt",
  order: "order",
} as const;

const key = fc
  .tuple(fc.constantFrom("", "a/", "a/b/", "c/"), fc.integer({ min: 0, max: 19 }))
  .map(([folder, name]) => `${folder}${name % 2 === 0 ? "é" : "x"} ${name}`);
const put = fc.record({ put: key, sizeBytes: fc.integer({ min: 0, max: 3 }) });
const change = fc.oneof({ weight: 3, arbitrary: put }, fc.record({ gone: key }));
const request = fc.record({
  sortBy: fc.constantFrom(...(Object.keys(member) as (keyof typeof member)[])),
  sortOrder: fc.constantFrom("asc", "desc"),
  search: fc.constantFrom("", "x"),
});
const step = fc.record({
  changes: fc.array(change, { maxLength: 15 }),
  begins: fc.option(request),
  // Deletes the uploads that the cursors of the walks name.
  deletesLast: fc.boolean(),
  pageSizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
});
const history = fc.record({
  first: fc.array(put, { minLength: 20, maxLength: 80 }),
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  // Large buckets have other plans.
  isLarge: fc.boolean(),
});

type Upload = Readonly<
  Record<"uploadId" | "externalPath" | (typeof member)[keyof typeof member], string>
>;
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** Walks, and the uploads that they returned. */
interface Counts {
  walks: number;
  lasting: number;
  fleeting: number;
}

interface Walk {
  readonly request: Request;
  /** The first state of the index in which the walk may have begun. */
  readonly since: number;
  readonly seen: Upload[];
  /** Undefined: it has ended. */
  cursor: string | undefined;
}

let test: RunsTest;
let listPool: pg.Pool;
let list: ReturnType<typeof listUploadsOn>;
before(async () => {
  test = await startRunsTest();
  const { databaseUrl } = test.database;
  await importLines(databaseUrl, [bucketLine(bucketId)]);
  await addSource(databaseUrl, "photos", "/mirror");
  const logger = createLogger({ name: "test", level: "silent" });
  const options = { databaseUrl, applicationName: "walks-test", logger, Client: RawClient };
  listPool = openPool({ ...options, connectionsMax: 2 });
  const database = createDatabase(listPool, listPool);
  list = listUploadsOn({ short: database, long: database, longTimeoutMs: 10_000 });
});
after(async () => {
  await listPool?.end();
  await test?.close();
});

it("a walk returns each upload that exists throughout exactly once", async (context) => {
  const counts: Counts = { walks: 0, lasting: 0, fleeting: 0 };
  await fc.assert(
    fc.asyncProperty(history, (each) => check(each, counts)),
    { numRuns: histories },
  );
  context.diagnostic(JSON.stringify(counts));
});

async function check({ first, steps, isLarge }: History, counts: Counts): Promise<void> {
  const { store, pool } = test;
  const sync = () => runFake(pool, "photos", store, { batchSize: 5, isConfirmed: true });
  store.objects.clear();
  changeStore(first);
  await sync();
  if (isLarge) await pool.query("update uploads.bucket_sizes set uploads = 1000000000");
  const states = [await readState()];
  const walks: Walk[] = [];
  for (const { changes, begins, deletesLast, pageSizes } of steps) {
    if (begins) walks.push({ request: begins, since: states.length - 1, seen: [], cursor: "" });
    if (deletesLast) {
      changeStore(walks.map(({ seen }) => ({ gone: seen.at(-1)?.externalPath ?? "" })));
    }
    changeStore(changes);
    await Promise.all([sync(), readPages(walks, pageSizes)]);
    states.push(await readState());
  }
  while (walks.some(({ cursor }) => cursor !== undefined)) await readPages(walks, [9]);
  for (const walk of walks) {
    const lasting = checkWalk(walk, states.slice(walk.since));
    counts.walks += 1;
    counts.lasting += lasting;
    counts.fleeting += walk.seen.length - lasting;
  }
}

function changeStore(changes: readonly Change[]): void {
  for (const each of changes) {
    if ("put" in each) test.store.put(each.put, each.sizeBytes);
    else test.store.delete(each.gone);
  }
}

/** The uploads of the index by ID. */
async function readState(): Promise<ReadonlyMap<string, Upload>> {
  const { databaseUrl } = test.database;
  const uploads = await readUploads({ databaseUrl, bucketId, baseUrl: undefined });
  return new Map((uploads as unknown as Upload[]).map((upload) => [upload.uploadId, upload]));
}

async function readPages(walks: readonly Walk[], pageSizes: readonly number[]): Promise<void> {
  for (const pageSize of pageSizes) {
    for (const walk of walks) {
      if (walk.cursor === undefined) continue;
      const { request, cursor } = walk;
      const page = { bucketRef: { bucketId }, ...request, recursive: true, pageSize, cursor };
      const answer = await list(page);
      const { uploads, nextCursor } = JSON.parse(answer.json.toString());
      walk.seen.push(...uploads);
      walk.cursor = nextCursor === "" ? undefined : nextCursor;
    }
  }
}

/** Returns how many uploads existed throughout. */
function checkWalk(
  { request, seen }: Walk,
  states: readonly ReadonlyMap<string, Upload>[],
): number {
  const { sortBy, sortOrder, search } = request;
  const sortKey = (upload: Upload | undefined) => upload?.[member[sortBy]];
  const [start = new Map<string, Upload>()] = states;
  const lasting = [...start.values()].filter(
    (upload) =>
      upload.filename.includes(search) &&
      states.every((state) => sortKey(state.get(upload.uploadId)) === sortKey(upload)),
  );
  const seenIds = seen.map(({ uploadId }) => uploadId);
  assert.deepEqual(
    seenIds.filter((id) => lasting.some(({ uploadId }) => uploadId === id)).toSorted(),
    lasting.map(({ uploadId }) => uploadId).toSorted(),
  );
  // So no upload comes twice, unless its sort key changed.
  const places = seen.map((upload) => placeOf(sortKey(upload), upload.uploadId));
  const inOrder = [...new Set(places)].toSorted();
  assert.deepEqual(places, sortOrder === "asc" ? inOrder : inOrder.reverse());
  return lasting.length;
}

/** A text that sorts as the list does. */
function placeOf(sortKey: string | number | undefined, uploadId: string): string {
  const text = typeof sortKey === "number" ? String(sortKey).padStart(16, "0") : `${sortKey}`;
  return `${text.replace(/(?:\.(\d+))?Z$/, (_, digits = "") => digits.padEnd(9, "0"))} ${uploadId}`;
}
