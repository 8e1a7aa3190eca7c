import assert from "node:assert/strict";
import { after as afterAll, before, describe, it } from "node:test";
import fc from "fast-check";
import type pg from "pg";
import sql, { join } from "sql-template-tag";
import { runOn } from "../../import/merge/statements.ts";
import { buildSkipIndex } from "../../import/skip-index/write-skip-index.ts";
import type { Position } from "../../model/upload-query.ts";
import { queryColumn } from "../../postgres/column-query.ts";
import type { ReadColumn, Run } from "../../postgres/database.ts";
import {
  afterConditions,
  listConditions,
  listScope,
  type PageRequest,
  uploadOrder,
} from "../../search/upload-list.ts";
import type { CheckedList } from "../page.ts";
import { listDocumentsBy, listUploadDocuments } from "../read-page.ts";
import { datesPlan } from "./dates-plan.ts";
import { directPlan } from "./direct-plan.ts";
import { folderPlan } from "./folder-plan.ts";
import { gatherPlan } from "./gather-plan.ts";
import type { Bound, ListPlan, PageOfList } from "./list-plan.ts";
import { createListDatabase, type ListDatabase } from "./testing/list-database.ts";
import { bucketId, fillBucket, someList, somePageSize } from "./testing/sample-bucket.ts";
import { walkPlan } from "./walk-plan.ts";
import { zoneWalkPlan } from "./zone-walk-plan.ts";

const manyUploads = 1_000_000;

const question = { organisationId: "o", clientId: "c", name: { bucketId } };

/** Each as it is used: with a bound, which it may come to, and as far as it goes. */
const plans: Readonly<Record<string, (place: PageOfList) => ListPlan | undefined>> = {
  "a look at every row": (place) => directPlan(place, undefined),
  "a look at some rows": (place) => directPlan(place, 200),
  "a walk over the index": (place) => walkPlan(place, undefined, { isCounted: false }),
  "a short walk over the index": (place) => walkPlan(place, 500, { isCounted: false }),
  "a short walk, counted": (place) => walkPlan(place, 500, { isCounted: true }),
  "a range of dates": (place) => datesPlan(place, { entries: manyUploads, uploads: manyUploads }),
  "a short range of dates": (place) => datesPlan(place, { entries: 300, uploads: 100 }),
  "a walk over zones": (place) => zonesOf(place, undefined, false),
  "a short walk over zones": (place) => zonesOf(place, 200, false),
  "a short walk over zones, counted": (place) => zonesOf(place, 200, true),
  "a folder": (place) => folderOf(place, manyUploads),
  "some of a folder": (place) => folderOf(place, 100),
  "a search": (place) => gatherPlan(place, { uploads: manyUploads, uploadsInBucket: 1 }),
  "a search for little": (place) => gatherPlan(place, { uploads: 100, uploadsInBucket: 4000 }),
};

function zonesOf(place: PageOfList, bound: Bound, isCounted: boolean): ListPlan | undefined {
  return place.scope.folder === undefined ? zoneWalkPlan(place, bound, { isCounted }) : undefined;
}

function folderOf(place: PageOfList, uploads: number): ListPlan | undefined {
  const { folder } = place.scope;
  return folder === undefined
    ? undefined
    : folderPlan(place, folder, { entries: 2 * uploads, uploads });
}

describe("plans for lists", () => {
  let database: ListDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createListDatabase();
    client = database.client;
    await fillBucket(client, 4000);
    await client.query("begin");
    // So many that they are kept in several parts.
    await buildSkipIndex(runOn(client), bucketId, 4000, 2500);
    await client.query("commit");
    await client.query("insert into uploads.access_versions values ($1, 7)", [bucketId]);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const run: Run = (statement) => runOn(client)(statement);
  const readColumn: ReadColumn = ({ text, values }) =>
    queryColumn(client, { name: undefined, text, values });

  it("find, each by itself, what a look at every upload finds", async () => {
    const seen = { full: 0, cut: new Set<string>() };
    const place = fc.record({ list: someList, pageSize: somePageSize, start: fc.nat(100) });
    const property = fc.asyncProperty(place, async ({ list, pageSize, start }) => {
      // On from one that is in the list, or from the beginning.
      const last = (await uploadIds(list, undefined))[start];
      const after = last === undefined ? undefined : await positionOf(last, list);
      const page = { pageSize, after };
      const following = await uploadIds(list, after);
      const expected = following.slice(0, pageSize);
      if (expected.length === pageSize) seen.full += 1;

      const checked = { ...list, question };
      const { accessVersion, page: found } = await listUploadDocuments(readColumn, checked, page);
      assert.equal(accessVersion, "7");
      assert.deepEqual(idsOf(found.documents), expected);
      const lastShown = following.length > pageSize ? expected.at(-1) : undefined;
      assert.equal(found.next?.uploadId, lastShown);
      for (const name of await cutPlans(checked, page, expected)) seen.cut.add(name);
    });
    await fc.assert(property, { numRuns: 240 });
    // Otherwise the above would show little.
    assert.ok(seen.full > 20, `${seen.full} full pages`);
    const bounded = Object.keys(plans).filter((name) => /some|short|little/.test(name));
    // A search that would begin with all of a common character's pieces is not even tried.
    seen.cut.delete("a search");
    assert.deepEqual([...seen.cut].sort(), bounded.sort());
  });

  /** Asserts that all the others find the page. */
  async function cutPlans(list: CheckedList, page: PageRequest, expected: readonly string[]) {
    const scope = listScope(list);
    if (scope === undefined) {
      assert.deepEqual(expected, []);
      return [];
    }
    const cut: string[] = [];
    for (const [name, planOf] of Object.entries(plans)) {
      const plan = planOf({ list, scope, page });
      if (plan === undefined) continue;
      const documents = await listDocumentsBy(readColumn, plan, list, page);
      if (documents.cut) {
        cut.push(name);
      } else {
        assert.deepEqual(idsOf(documents.result.page.documents), expected, name);
      }
    }
    return cut;
  }

  async function uploadIds(list: PageOfList["list"], after: Position | undefined) {
    const scope = listScope(list);
    if (scope === undefined) return [];
    const conditions = [
      sql`u.bucket_id = ${list.bucketId}`,
      ...listConditions(list, scope),
      ...afterConditions(list.query, after),
    ];
    const rows = await run<{ upload_id: string }>(sql`
      select u.upload_id from uploads.uploads u where ${join(conditions, " and ")}
      order by ${uploadOrder(list.query)}`);
    return rows.map((row) => row.upload_id);
  }

  async function positionOf(uploadId: string, { bucketId, query }: PageOfList["list"]) {
    const [row] = await run<Record<string, string>>(sql`
      select created_at::text, updated_at::text, filename, size_bytes::text, "order"::text
      from uploads.uploads where bucket_id = ${bucketId} and upload_id = ${uploadId}`);
    return { sortKey: row?.[query.sortBy] ?? "", uploadId };
  }
});

function idsOf(documents: Buffer): string[] {
  const uploads: { uploadId: string }[] = JSON.parse(`[${documents}]`);
  return uploads.map(({ uploadId }) => uploadId);
}
