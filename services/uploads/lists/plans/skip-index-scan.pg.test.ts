import assert from "node:assert/strict";
import { after as afterAll, before, describe, it } from "node:test";
import fc from "fast-check";
import { visibilityOf } from "../../access/visibility.ts";
import { runOn } from "../../import/merge/statements.ts";
import { allNGrams } from "../../model/n-grams.ts";
import { searchPattern } from "../../model/name-pattern.ts";
import {
  type Position,
  sortColumns,
  sortOrders,
  type UploadQuery,
} from "../../model/upload-query.ts";
import { queryColumn } from "../../postgres/column-query.ts";
import { bitsOfPart, blocksPerPart } from "../../skip-index/layout.ts";
import { buildSkipIndex } from "../../skip-index/write-skip-index.ts";
import { decodeListResult, listReader } from "./list-result.ts";
import { listScope } from "./parameters.ts";
import type { RowBudget } from "./plan.ts";
import { listStatements } from "./statement.ts";
import { executeText } from "./testing/execute-text.ts";
import {
  expectedParameters,
  isExpected,
  sortColumn,
  uploadOrder,
} from "./testing/expected-uploads.ts";
import { createListDatabase, type ListDatabase } from "./testing/list-database.ts";
import { fillBucket, lookup, sampleBucket } from "./testing/sample-bucket.ts";

const { bucketId, bucketNumber } = sampleBucket;

describe("a skip-index scan", () => {
  let database: ListDatabase;
  let client: ListDatabase["client"];
  before(async () => {
    database = await createListDatabase();
    client = database.client;
    await fillBucket(client, 3000);
    await client.query("begin");
    // So many blocks that their bitmaps have several parts.
    await buildSkipIndex(runOn(client), bucketNumber, 3000, 2000);
    await client.query("commit");
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("reads the blocks in which every n-gram occurs, and no other", async () => {
    const walks = fc.record({
      search: fc.constantFrom("or", "report", "r?port*.pdf", "no such"),
      sortBy: fc.constantFrom(...sortColumns),
      sortOrder: fc.constantFrom(...sortOrders),
      // Where the page begins, as a part of the list.
      start: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      leftOut: fc.array(fc.boolean(), { minLength: 1, maxLength: 61 }),
    });
    const property = fc.asyncProperty(walks, async ({ search, start, leftOut, ...sort }) => {
      const query = { ...noFilter, ...sort, name: searchPattern(search) };
      await client.query("begin");
      const cleared = await clearBlocks(query, (block) => leftOut[block % leftOut.length] === true);
      const all = await placedUploads(query);
      const from = start === null ? 0 : Math.floor(start * all.length);
      const after = all[from - 1];
      const left = all
        .slice(from)
        .filter(({ block }) => !cleared.has(block))
        .slice(0, 1000);
      const { ids } = await pageOf(query, { after });
      await client.query("rollback");
      assert.deepEqual(ids, idsOf(left));
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it("reads everything that no bitmap describes", async () => {
    const query = { ...noFilter, ...firstOrder, name: searchPattern("report") };
    const all = await placedUploads(query);
    assert.ok(all.length > 500);
    for (const known of [
      "skip_index_blocks",
      "skip_index_bitmaps",
      "skip_index_bitmaps where part = 0 and n_gram = 'rep'",
    ]) {
      await client.query("begin");
      await client.query(`delete from uploads.${known}`);
      assert.deepEqual((await pageOf(query)).ids, idsOf(all.slice(0, 1000)), known);
      await client.query("rollback");
    }
  });

  it("is not tried for a rare n-gram, unless a date ends the list", async () => {
    const query = { ...noFilter, ...firstOrder, name: searchPattern("report") };
    const all = await placedUploads(query);
    const first = { budget: 200_000, isCounted: true };
    assert.deepEqual((await pageOf(query, first)).ids, idsOf(all.slice(0, 1000)));
    await client.query("begin");
    await client.query("delete from uploads.skip_index_bitmaps where n_gram = 'ort'");
    const { ids, isTruncated } = await pageOf(query, first);
    assert.deepEqual({ ids, isTruncated }, { ids: [], isTruncated: true });
    const dated = { ...query, sortBy: "created_at", createdTo: BigInt(2 ** 60) } as const;
    const datedPage = await pageOf(dated, first);
    assert.deepEqual(datedPage.ids, idsOf((await placedUploads(dated)).slice(0, 1000)));
    await client.query("rollback");
  });

  it("sorts no blocks in any order: the planner knows that they are in order", async () => {
    for (const sortBy of sortColumns) {
      for (const sortOrder of sortOrders) {
        const name = searchPattern("report");
        const query = { ...noFilter, name, sortBy, sortOrder };
        for (const budget of [undefined, 200]) {
          const plan = await explainedPage(query, budget);
          assert.match(plan, /Function Scan on unnest numbered/);
          assert.match(plan, /Index Only Scan.* using uploads_in_bucket_by_/, plan);
          assert.match(plan, /Presorted Key: \S+number\n/, plan);
          assert.doesNotMatch(plan, sorting, plan);
        }
      }
    }
  });

  const reader = listReader({ baseUrl: "http://uploads.example.com", bucketId });

  async function pageOf(query: UploadQuery, scan: Scan = {}) {
    const statement = statementOf(query, scan, 1000);
    const column = await queryColumn(client, statement, reader);
    const { page, truncation } = decodeListResult(column, query, 1000);
    const uploads: { uploadId: string }[] = JSON.parse(`[${page.documents}]`);
    return { ids: idsOf(uploads), isTruncated: truncation !== undefined };
  }

  /** All uploads of the list, in its order, each with its block. */
  async function placedUploads(query: UploadQuery) {
    const key = sortColumn(query);
    return await runOn(client)<Position & { block: number }>(
      `select ${key}::text as "sortKey", u.upload_id as "uploadId", (
        select max(s.block) from uploads.skip_index_blocks s where s.bucket_number = u.bucket_number
          and (s.block = 0 or s."${query.sortBy}" <= ${key})) as block
      from uploads.uploads u where ${isExpected(listOf(query))}
      order by ${uploadOrder(query)}`,
      expectedParameters(listOf(query)),
    );
  }

  /** Clears the bits of one n-gram of the search in some blocks, and returns these blocks. */
  async function clearBlocks(query: UploadQuery, isLeftOut: (block: number) => boolean) {
    const { rows } = await client.query<{ part: number; n_gram: string }>(
      `select part, n_gram from uploads.skip_index_bitmaps
       where bucket_number = $1 and n_gram = any ($2) order by n_gram, part`,
      [bucketNumber, allNGrams(query.name ?? assert.fail())],
    );
    const cleared = new Set<number>();
    for (const { part, n_gram: nGram } of rows.filter((row) => row.n_gram === rows[0]?.n_gram)) {
      const blocks = Array.from({ length: blocksPerPart }, (_, bit) => part * blocksPerPart + bit);
      const bits = blocks.map((block) => (isLeftOut(block) ? "0" : "1")).join("");
      for (const block of blocks) if (isLeftOut(block)) cleared.add(block);
      await runOn(client)(
        `update uploads.skip_index_bitmaps
        set "${query.sortBy}" = "${query.sortBy}" & :bits::text::${bitsOfPart}
        where bucket_number = :bucketNumber and part = :part and n_gram = :nGram`,
        { bits, bucketNumber, part, nGram },
      );
    }
    return cleared;
  }

  // Prepared, so that it is planned for all values. Without nested loops, the planner would join
  // whatever it can in another way, as it might for other numbers of rows.
  async function explainedPage(query: UploadQuery, budget: RowBudget): Promise<string> {
    const { text, values } = statementOf(query, { budget }, 50);
    await client.query("set enable_nestloop = off");
    await client.query(`prepare scan as ${text}`);
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `explain ${executeText("scan", values)}`,
    );
    await client.query("deallocate scan; reset enable_nestloop");
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  }
});

const listOf = (query: UploadQuery) => ({
  ...sampleBucket,
  lookup,
  visibility: visibilityOf(["/"], [], "client"),
  query,
});

interface Scan {
  readonly after?: Position | undefined;
  readonly budget?: RowBudget;
  readonly isCounted?: boolean;
}

function statementOf(
  query: UploadQuery,
  { after, budget, isCounted = false }: Scan,
  pageSize: number,
) {
  const list = listOf(query);
  const scope = listScope(list) ?? assert.fail();
  const plan = { kind: "skip-index scan", budget, isCounted } as const;
  return listStatements(list, scope, { after, pageSize })({ plan });
}

const idsOf = (uploads: readonly { uploadId: string }[]) => uploads.map(({ uploadId }) => uploadId);

/** Any join or sort that would not keep the order. Incremental sorts are of few entries. */
const sorting = /-> {2}Sort |(Seq|Bitmap Heap) Scan on (uploads|skip_index_blocks)|Hash|Merge/;

const firstOrder = { sortBy: "filename", sortOrder: "asc" } as const;

const noFilter = {
  path: undefined,
  recursive: false,
  tags: { allOf: [], anyOf: [], noneOf: [] },
  createdFrom: undefined,
  createdTo: undefined,
};
