import assert from "node:assert/strict";
import { after as afterAll, before, describe, it } from "node:test";
import fc from "fast-check";
import type pg from "pg";
import sql, { join } from "sql-template-tag";
import { viewOf } from "../../access/visibility.ts";
import type { Position } from "../../model/upload-query.ts";
import { queryColumn } from "../../postgres/column-query.ts";
import type { ReadColumn } from "../../postgres/statements.ts";
import { listConditions, listScope, uploadOrder } from "../../search/upload-list.ts";
import type { CheckedList } from "../page.ts";
import { listUploadDocuments } from "../read-page.ts";
import { createListDatabase, type ListDatabase } from "./testing/list-database.ts";
import { bucketId, fillBucket, someList } from "./testing/sample-bucket.ts";
import { wholePage } from "./whole-page.ts";

const names = [{ bucketId }, { hostname: "0.example.com" }, "primary"] as const;

const everythingShown = fc.constantFrom(
  viewOf(["/"], [], undefined, false),
  viewOf(["/a", "/inbox"], [], "c", false),
);

/** Most of them leave nothing out. */
const list: fc.Arbitrary<CheckedList> = fc
  .tuple(someList, everythingShown, fc.constantFrom(...names), fc.nat(9))
  .map(([{ query }, view, name, number]) => {
    const question = { organisationId: "o", clientId: "c", name };
    const { path, recursive, sortBy, sortOrder, tags } = query;
    const dates = { createdFrom: undefined, createdTo: undefined };
    const noTags = { allOf: [], anyOf: [], noneOf: [] };
    const whole = { path, recursive, sortBy, sortOrder, ...dates, tags: noTags, name: undefined };
    const others = [query, { ...whole, tags }, { ...whole, createdTo: query.createdTo }];
    return { bucketId, question, view, query: others[number] ?? whole };
  });

/** On both sides of 51, where the statement is another one. */
const somePageSize = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 60 }) },
  { weight: 3, arbitrary: fc.integer({ min: 50, max: 1000 }) },
);

describe("pages of lists that leave nothing out", () => {
  let database: ListDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createListDatabase();
    client = database.client;
    await fillBucket(client, 2000);
    await client.query("update uploads.uploads set integration_hidden = false");
    await client.query("update uploads.buckets set is_primary = bucket_id = $1", [bucketId]);
    await client.query("insert into uploads.access_versions values ($1, 7)", [bucketId]);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const readColumn: ReadColumn = ({ text, values }) =>
    queryColumn(client, { name: undefined, text, values });

  it("hold, one after the other, what a look at every upload finds", async () => {
    const seen = { whole: 0, pages: 0, integrations: 0 };
    const property = fc.asyncProperty(list, somePageSize, async (each, pageSize) => {
      const expected = await uploadIds(each);
      const found: string[] = [];
      let next: Position | undefined;
      do {
        const page = { pageSize, after: next };
        if (wholePage(each, page) !== undefined) seen.whole += 1;
        const { accessVersion, page: read } = await listUploadDocuments(readColumn, each, page);
        assert.equal(accessVersion, "7");
        const uploads: Upload[] = JSON.parse(`[${read.documents}]`);
        assert.ok(uploads.length === pageSize || read.next === undefined);
        seen.integrations += uploads.filter(({ integration }) => integration !== undefined).length;
        found.push(...uploads.map(({ uploadId }) => uploadId));
        next = read.next;
        seen.pages += 1;
      } while (next !== undefined);
      assert.deepEqual(found, expected);
    });
    await fc.assert(property, { numRuns: 100 });
    assert.ok(seen.whole > seen.pages / 4 && seen.whole < seen.pages, JSON.stringify(seen));
    assert.ok(seen.integrations > 100, JSON.stringify(seen));
  });

  it("have no version where the question leads elsewhere by now", async () => {
    const query = { path: undefined, recursive: false, tags: { allOf: [], anyOf: [], noneOf: [] } };
    for (const name of [...names, { hostname: "1.example.com" }]) {
      for (const organisationId of ["o", "p"]) {
        const question = { organisationId, clientId: "c", name };
        const each: CheckedList = {
          bucketId,
          question,
          view: viewOf(["/"], [], undefined, false),
          query: { ...noFilter, ...query, sortBy: "order", sortOrder: "asc" },
        };
        const page = { pageSize: 1, after: undefined };
        const { accessVersion } = await listUploadDocuments(readColumn, each, page);
        const isRight = organisationId === "o" && names.some((right) => right === name);
        assert.equal(accessVersion, isRight ? "7" : null);
      }
    }
  });

  async function uploadIds(each: CheckedList): Promise<string[]> {
    const scope = listScope(each);
    if (scope === undefined) return [];
    const conditions = [sql`u.bucket_id = ${bucketId}`, ...listConditions(each, scope)];
    const { text, values } = sql`
      select u.upload_id from uploads.uploads u where ${join(conditions, " and ")}
      order by ${uploadOrder(each.query)}`;
    const { rows } = await client.query<{ upload_id: string }>(text, values);
    return rows.map((row) => row.upload_id);
  }
});

const noFilter = { createdFrom: undefined, createdTo: undefined, name: undefined };

interface Upload {
  readonly uploadId: string;
  readonly integration?: object;
}
