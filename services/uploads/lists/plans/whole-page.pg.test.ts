import assert from "node:assert/strict";
import { after as afterAll, before, describe, it } from "node:test";
import fc from "fast-check";
import { visibilityOf } from "../../access/visibility.ts";
import type { Position } from "../../model/upload-query.ts";
import { queryColumn } from "../../postgres/column-query.ts";
import type { RawClient } from "../../postgres/raw-client.ts";
import type { ReadColumn } from "../../postgres/statements.ts";
import { choosePlans } from "./choose-plans.ts";
import { listScope, type PageRequest, type UploadList } from "./parameters.ts";
import { completePage } from "./testing/complete-page.ts";
import { expectedIds } from "./testing/expected-uploads.ts";
import { createListDatabase, type ListDatabase } from "./testing/list-database.ts";
import { fillBucket, sampleBucket, someList } from "./testing/sample-bucket.ts";

const { bucketId, bucketNumber } = sampleBucket;
const names = [{ bucketId }, { hostname: `${bucketNumber}.example.com` }, "primary"] as const;

const everythingShown = fc.constantFrom(
  visibilityOf(["/"], [], undefined, false),
  visibilityOf(["/a", "/inbox"], [], "c", false),
);

const noFilter = {
  tags: { allOf: [], anyOf: [], noneOf: [] },
  createdFrom: undefined,
  createdTo: undefined,
  name: undefined,
};

/** Most of them leave nothing out. */
const list: fc.Arbitrary<UploadList> = fc
  .tuple(someList, everythingShown, fc.constantFrom(...names), fc.nat(9))
  .map(([{ query }, visibility, name, number]) => {
    const lookup = { organisationId: "o", clientId: "c", name };
    const { path, recursive, sortBy, sortOrder, tags } = query;
    const whole = { path, recursive, sortBy, sortOrder, ...noFilter };
    const others = [query, { ...whole, tags }, { ...whole, createdTo: query.createdTo }];
    return { ...sampleBucket, lookup, visibility, query: others[number] ?? whole };
  });

/** On both sides of 51, where the statement changes. */
const somePageSize = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 60 }) },
  { weight: 3, arbitrary: fc.integer({ min: 50, max: 1000 }) },
);

function isWholePage(each: UploadList, request: PageRequest): boolean {
  const scope = listScope(each);
  if (scope === undefined) return false;
  const first = choosePlans(each, scope, request).next();
  return first.done !== true && first.value.plan.kind === "whole page";
}

describe("pages of lists that leave nothing out", () => {
  let database: ListDatabase;
  let client: RawClient;
  before(async () => {
    database = await createListDatabase();
    client = database.client;
    await fillBucket(client, 2000);
    await client.query(
      `update uploads.uploads
       set integration_hidden = false, signature = signature & (1::bigint << 62) - 1`,
    );
    await client.query("update uploads.buckets set is_primary = bucket_id = $1", [bucketId]);
    await client.query("insert into uploads.access_versions values ($1, 7)", [bucketId]);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const readColumn: ReadColumn = (statement, reader) => queryColumn(client, statement, reader);

  it("hold, one after the other, what a look at every upload finds", async () => {
    const seen = { whole: 0, pages: 0, integrations: 0 };
    const property = fc.asyncProperty(list, somePageSize, async (each, pageSize) => {
      const found: string[] = [];
      let next: Position | undefined;
      do {
        const request = { pageSize, after: next };
        if (isWholePage(each, request)) seen.whole += 1;
        const page = await completePage(readColumn, each, request);
        assert.equal(page.accessVersion, "7");
        const uploads: Upload[] = JSON.parse(`[${page.documents}]`);
        assert.ok(uploads.length === pageSize || page.next === undefined);
        seen.integrations += uploads.filter(({ integration }) => integration !== undefined).length;
        found.push(...uploads.map(({ uploadId }) => uploadId));
        next = page.next;
        seen.pages += 1;
      } while (next !== undefined);
      assert.deepEqual(found, await expectedIds(client, each));
    });
    await fc.assert(property, { numRuns: 100 });
    assert.ok(seen.whole > 20 && seen.whole < seen.pages, JSON.stringify(seen));
    assert.ok(seen.integrations > 100, JSON.stringify(seen));
  });

  for (const name of [...names, { hostname: "8.example.com" }]) {
    for (const organisationId of ["o", "p"]) {
      const isRight = organisationId === "o" && names.some((right) => right === name);
      const of = `${JSON.stringify(name)} of organisation ${organisationId}`;
      it(`have ${isRight ? "the" : "no"} access version for the lookup ${of}`, async () => {
        const lookup = { organisationId, clientId: "c", name };
        assert.equal(await versionOf(lookup, "/"), isRight ? "7" : null);
        // A list that is empty whatever is in the bucket.
        assert.equal(await versionOf(lookup, "/inbox"), isRight ? "7" : null);
      });
    }
  }

  async function versionOf(lookup: UploadList["lookup"], location: string) {
    const visibility = visibilityOf([location], [], undefined, false);
    const order = { sortBy: "order", sortOrder: "asc" } as const;
    const query = { ...noFilter, ...order, path: "/", recursive: false };
    const request = { pageSize: 1, after: undefined };
    const list = { ...sampleBucket, lookup, visibility, query };
    return (await completePage(readColumn, list, request)).accessVersion;
  }
});

interface Upload {
  readonly uploadId: string;
  readonly integration?: object;
}
