import assert from "node:assert/strict";
import { after as afterAll, before, describe, it } from "node:test";
import fc from "fast-check";
import { runOn } from "../../import/merge/statements.ts";
import { queryColumn } from "../../postgres/column-query.ts";
import type { RawClient } from "../../postgres/raw-client.ts";
import type { ReadColumn } from "../../postgres/statements.ts";
import { wordsOfFolders } from "../../search/query-conditions.ts";
import { readWordFolders } from "../../search/word-folders.ts";
import { buildSkipIndex } from "../../skip-index/write-skip-index.ts";
import { decodeListResult, listReader } from "./list-result.ts";
import {
  fetchOf,
  isWholeBucket,
  type ListScope,
  listScope,
  nGramsToSkipBy,
  type PageRequest,
  type UploadList,
} from "./parameters.ts";
import type { PlannedRead } from "./plan.ts";
import { listStatements } from "./statement.ts";
import { completePage } from "./testing/complete-page.ts";
import { expectedIds } from "./testing/expected-uploads.ts";
import { createListDatabase, type ListDatabase } from "./testing/list-database.ts";
import { fillBucket, sampleBucket, someList, somePageSize } from "./testing/sample-bucket.ts";

const many = 1_000_000;
const wholeFetch = {
  sampledRows: 1000,
  sampledMax: 1000,
  fetchedMax: many,
};

/** Each plan with a budget that is used up, and as far as it goes. */
const plans: Readonly<Record<string, PlannedRead>> = {
  "every row": { plan: { kind: "row scan", budget: undefined } },
  "some rows": { plan: { kind: "row scan", budget: 200 } },
  "the index": { plan: { kind: "index scan", budget: undefined, isCounted: false } },
  "some of the index": { plan: { kind: "index scan", budget: 500, isCounted: false } },
  "some of the index, counted": { plan: { kind: "index scan", budget: 500, isCounted: true } },
  "the blocks": { plan: { kind: "skip-index scan", budget: undefined, isCounted: false } },
  "some blocks": { plan: { kind: "skip-index scan", budget: 200, isCounted: false } },
  "some blocks, counted": { plan: { kind: "skip-index scan", budget: 200, isCounted: true } },
  "a range of dates": {
    plan: { kind: "range", by: "created_at", budget: many },
    parameters: { fetchedMax: many },
  },
  "a range of changes": {
    plan: { kind: "range", by: "updated_at", budget: many },
    parameters: { fetchedMax: many },
  },
  "a range of sizes": {
    plan: { kind: "range", by: "size_bytes", budget: many },
    parameters: { fetchedMax: many },
  },
  "some of a range of dates": {
    plan: { kind: "range", by: "created_at", budget: 300 },
    parameters: { fetchedMax: 100 },
  },
  "the folders": { plan: { kind: "folder", budget: many }, parameters: { fetchedMax: many } },
  "some of the folders": { plan: { kind: "folder", budget: 200 }, parameters: { fetchedMax: 100 } },
  "the index of names": { plan: { kind: "index fetch" }, parameters: wholeFetch },
  "some of the index of names": {
    plan: { kind: "index fetch" },
    parameters: { ...wholeFetch, sampledMax: 25, fetchedMax: 200 },
  },
};

function isApplicable({ plan }: PlannedRead, list: UploadList, scope: ListScope) {
  switch (plan.kind) {
    case "range":
      // Only lists with filters of a query have parameters for the others.
      return plan.by === "created_at" || list.query.filters !== undefined;
    case "index scan":
      return scope.folder === undefined || list.query.sortBy === "filename";
    case "skip-index scan":
      return scope.folder === undefined && nGramsToSkipBy(list).length > 0;
    case "folder":
      return !isWholeBucket(scope);
    case "index fetch":
      return fetchOf(list) !== undefined;
    default:
      return true;
  }
}

const { bucketId, bucketNumber } = sampleBucket;

describe("plans for lists", () => {
  let database: ListDatabase;
  let client: RawClient;
  before(async () => {
    database = await createListDatabase();
    client = database.client;
    await fillBucket(client, 4000);
    await client.query("begin");
    // So many blocks that their bitmaps have several parts.
    await buildSkipIndex(runOn(client), bucketNumber, 4000, 2500);
    await client.query("commit");
    await client.query("insert into uploads.access_versions values ($1, 7)", [bucketId]);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const reader = listReader({ baseUrl: "http://uploads.example.com", bucketId });
  const readColumn: ReadColumn = (statement, reader) => queryColumn(client, statement, reader);

  it("find, each by itself, what a look at every upload finds", async () => {
    const seen = { full: 0, truncated: new Set<string>(), used: new Set<string>() };
    const page = fc.record({ list: someList, pageSize: somePageSize, start: fc.nat(100) });
    const property = fc.asyncProperty(page, async ({ list, pageSize, start }) => {
      // After an upload of the list, or from the beginning.
      const last = (await expectedIds(client, list))[start];
      const after = last === undefined ? undefined : await positionOf(last, list);
      const request = { pageSize, after };
      const following = await expectedIds(client, list, after);
      const expected = following.slice(0, pageSize);
      seen.full += Number(expected.length === pageSize);

      const found = await completePage(readColumn, list, request);
      assert.equal(found.accessVersion, "7");
      assert.deepEqual(idsOf(found.documents), expected);
      const rest = found.next === undefined ? [] : await expectedIds(client, list, found.next);
      assert.deepEqual(rest, following.slice(pageSize));
      await readByEach(list, request, expected, seen);
    });
    await fc.assert(property, { numRuns: 240 });
    // Otherwise the above would show little.
    assert.ok(seen.full > 20, `${seen.full} full pages`);
    assert.deepEqual([...seen.used].sort(), Object.keys(plans).sort());
    const limited = Object.keys(plans).filter((name) => name.startsWith("some"));
    assert.deepEqual([...seen.truncated].sort(), limited.sort());
  });

  /** Asserts that every plan finds the page unless it is truncated. */
  async function readByEach(
    list: UploadList,
    request: PageRequest,
    expected: readonly string[],
    seen: { readonly truncated: Set<string>; readonly used: Set<string> },
  ) {
    const scope = listScope(list);
    if (scope === undefined) return assert.deepEqual(expected, []);
    const words = list.query.filters && wordsOfFolders(list.query.filters);
    const wordFolders = await readWordFolders(readColumn, bucketNumber, words ?? [], true);
    const found = { ...list, wordFolders };
    for (const [name, plan] of Object.entries(plans)) {
      if (!isApplicable(plan, found, scope)) continue;
      const column = await readColumn(listStatements(found, scope, request)(plan), reader);
      const { page, truncation } = decodeListResult(column, list.query, request.pageSize);
      if (truncation === undefined) assert.deepEqual(idsOf(page.documents), expected, name);
      (truncation === undefined ? seen.used : seen.truncated).add(name);
    }
  }

  async function positionOf(uploadId: string, { query }: UploadList) {
    const { rows } = await client.query<Record<string, string>>(
      `select created_at::text, updated_at::text, filename, size_bytes::text, "order"::text
       from uploads.uploads where bucket_number = $1 and upload_id = $2`,
      [bucketNumber, uploadId],
    );
    return { sortKey: rows[0]?.[query.sortBy] ?? "", uploadId };
  }
});

function idsOf(documents: Buffer): string[] {
  const uploads: { uploadId: string }[] = JSON.parse(`[${documents}]`);
  return uploads.map(({ uploadId }) => uploadId);
}
