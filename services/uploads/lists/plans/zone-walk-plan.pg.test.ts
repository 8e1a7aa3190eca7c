import assert from "node:assert/strict";
import { after as afterAll, before, describe, it } from "node:test";
import fc from "fast-check";
import sql, { join, raw } from "sql-template-tag";
import { viewOf } from "../../access/visibility.ts";
import { runOn } from "../../import/merge/statements.ts";
import { buildSkipIndex } from "../../import/skip-index/write-skip-index.ts";
import { overlappingPieces } from "../../model/n-grams.ts";
import { searchPattern } from "../../model/name-pattern.ts";
import type { Position } from "../../model/upload-query.ts";
import { sortColumns, sortOrders, type UploadQuery } from "../../model/upload-query.ts";
import { queryColumn } from "../../postgres/column-query.ts";
import type { ReadColumn } from "../../postgres/database.ts";
import { literalText } from "../../postgres/literal-text.ts";
import type { Statement } from "../../postgres/statements.ts";
import { bitsOfPart, blocksPerPart } from "../../search/skip-index.ts";
import {
  type ListScope,
  listConditions,
  listScope,
  sortColumn,
  uploadOrder,
} from "../../search/upload-list.ts";
import { listDocumentsBy } from "../read-page.ts";
import type { Bound, ListPlan } from "./list-plan.ts";
import { createListDatabase, type ListDatabase } from "./testing/list-database.ts";
import { bucketId, fillBucket } from "./testing/sample-bucket.ts";
import { zoneWalkPlan } from "./zone-walk-plan.ts";

describe("a walk over zones", () => {
  let database: ListDatabase;
  let client: ListDatabase["client"];
  before(async () => {
    database = await createListDatabase();
    client = database.client;
    await fillBucket(client, 3000);
    await client.query("begin");
    // So many that they are kept in several parts.
    await buildSkipIndex(runOn(client), bucketId, 3000, 2000);
    await client.query("commit");
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("goes over the zones in which all pieces stand, and over no other", async () => {
    const walks = fc.record({
      search: fc.constantFrom("or", "report", "r?port*.pdf", "no such"),
      sortBy: fc.constantFrom(...sortColumns),
      sortOrder: fc.constantFrom(...sortOrders),
      // Where the walk begins, as a part of all.
      start: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      leftOut: fc.array(fc.boolean(), { minLength: 1, maxLength: 61 }),
    });
    const property = fc.asyncProperty(walks, async ({ search, start, leftOut, ...sort }) => {
      const query = { ...noFilter, ...sort, name: searchPattern(search) };
      await client.query("begin");
      const zones = await clearZones(query, (zone) => leftOut[zone % leftOut.length] === true);
      const all = await placedUploads(query);
      const from = start === null ? 0 : Math.floor(start * all.length);
      const after = all[from - 1];
      const left = all
        .slice(from)
        .filter(({ zone }) => !zones.has(zone))
        .slice(0, 1000);
      const { ids } = await pageOf(query, { after });
      await client.query("rollback");
      assert.deepEqual(ids, idsOf(left));
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it("goes over all keys where nothing is known", async () => {
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

  it("does not begin where the search is rare, unless it has to come to the end", async () => {
    const query = { ...noFilter, ...firstOrder, name: searchPattern("report") };
    const all = await placedUploads(query);
    const first = { bound: 200_000, isCounted: true };
    assert.deepEqual((await pageOf(query, first)).ids, idsOf(all.slice(0, 1000)));
    await client.query("begin");
    await client.query("delete from uploads.skip_index_bitmaps where n_gram = 'ort'");
    const { ids, isCut } = await pageOf(query, first);
    assert.deepEqual({ ids, isCut }, { ids: [], isCut: true });
    const dated = { ...query, sortBy: "created_at", createdTo: BigInt(2 ** 60) } as const;
    const datedPage = await pageOf(dated, first);
    assert.deepEqual(datedPage.ids, idsOf((await placedUploads(dated)).slice(0, 1000)));
    await client.query("rollback");
  });

  it("takes no sorting in any order: the database knows that zones are in order", async () => {
    for (const sortBy of sortColumns) {
      for (const sortOrder of sortOrders) {
        const name = searchPattern("report");
        const query = { ...noFilter, name, sortBy, sortOrder };
        for (const bound of [undefined, 200]) {
          const plan = await explainedPage(query, bound);
          assert.match(plan, /Function Scan on unnest numbered/);
          assert.match(plan, /Scan.* using uploads_in_bucket_by_/, plan);
          assert.doesNotMatch(plan, sorting, plan);
        }
      }
    }
  });

  const readColumn: ReadColumn = ({ text, values }) =>
    queryColumn(client, { name: undefined, text, values });

  async function pageOf(query: UploadQuery, walk: Walk = {}) {
    const page = { after: walk.after, pageSize: 1000 };
    const plan = planOf(query, walk);
    const { result, cut } = await listDocumentsBy(readColumn, plan, listOf(query), page);
    const uploads = cut === undefined ? JSON.parse(`[${result.page.documents}]`) : [];
    return { ids: idsOf(uploads), isCut: cut !== undefined };
  }

  /** All uploads that the query holds, in its order, each with its zone. */
  async function placedUploads(query: UploadQuery) {
    const key = sortColumn(query);
    const conditions = listConditions(listOf(query), scopeOf(query));
    return await runOn(client)<Position & { zone: number }>(sql`
      select ${key}::text as "sortKey", u.upload_id as "uploadId", (
        select max(z.block) from uploads.skip_index_blocks z where z.bucket_id = u.bucket_id
          and (z.block = 0 or ${raw(`z."${query.sortBy}"`)} <= ${key})) as zone
      from uploads.uploads u where u.bucket_id = ${bucketId} and ${join(conditions, " and ")}
      order by ${uploadOrder(query)}`);
  }

  /** Takes the bits of a piece of the search out of some zones; which these are. */
  async function clearZones(query: UploadQuery, isLeftOut: (zone: number) => boolean) {
    const { rows } = await client.query<{ part: number; n_gram: string }>(
      `select part, n_gram from uploads.skip_index_bitmaps
       where bucket_id = $1 and n_gram = any ($2) order by n_gram, part`,
      [bucketId, overlappingPieces(query.name ?? assert.fail())],
    );
    const cleared = new Set<number>();
    const order = raw(`"${query.sortBy}"`);
    for (const { part, n_gram: nGram } of rows.filter((row) => row.n_gram === rows[0]?.n_gram)) {
      const zones = Array.from({ length: blocksPerPart }, (_, bit) => part * blocksPerPart + bit);
      const bits = zones.map((zone) => (isLeftOut(zone) ? "0" : "1")).join("");
      for (const zone of zones) if (isLeftOut(zone)) cleared.add(zone);
      await runOn(client)(sql`
        update uploads.skip_index_bitmaps set ${order} = ${order} & ${bits}::text::${bitsOfPart}
        where bucket_id = ${bucketId} and part = ${part} and n_gram = ${nGram}`);
    }
    return cleared;
  }

  async function explainedPage(query: UploadQuery, bound: Bound): Promise<string> {
    const page = { after: undefined, pageSize: 50 };
    let plan = "";
    const explaining: ReadColumn = async (statement) => {
      plan = await explained(statement);
      return readColumn(statement);
    };
    await listDocumentsBy(explaining, planOf(query, { bound }), listOf(query), page);
    return plan;
  }

  // Prepared, so that it is planned as for all values. The database joins what it can in another
  // way than row by row, as it might for other numbers of rows.
  async function explained({ text, values }: Statement): Promise<string> {
    await client.query("set enable_nestloop = off");
    await client.query(`prepare walk as ${text}`);
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `explain ${literalText(sql`execute walk(${join(values)})`)}`,
    );
    await client.query("deallocate walk; reset enable_nestloop");
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  }
});

const listOf = (query: UploadQuery) => ({
  bucketId,
  view: viewOf(["/"], [], "client"),
  query,
  question: { organisationId: "o", clientId: "client", name: { bucketId } },
});

interface Walk {
  readonly after?: Position | undefined;
  readonly bound?: Bound;
  readonly isCounted?: boolean;
}

function planOf(query: UploadQuery, { after, bound, isCounted = false }: Walk): ListPlan {
  const place = { list: listOf(query), scope: scopeOf(query), page: { after, pageSize: 1000 } };
  return zoneWalkPlan(place, bound, { isCounted });
}

const idsOf = (uploads: readonly { uploadId: string }[]) => uploads.map(({ uploadId }) => uploadId);

function scopeOf(query: UploadQuery): ListScope {
  return listScope(listOf(query)) ?? assert.fail();
}

/** But for parts, and for a page's rows by their numbers, which they have from how they came. */
const sorting =
  /Sort Key: (?!.*row_number|parts)|(Seq|Bitmap Heap) Scan on (uploads|zones)|Hash|Merge/;

const firstOrder = { sortBy: "filename", sortOrder: "asc" } as const;

const noFilter = {
  path: undefined,
  recursive: false,
  tags: { allOf: [], anyOf: [], noneOf: [] },
  createdFrom: undefined,
  createdTo: undefined,
};
