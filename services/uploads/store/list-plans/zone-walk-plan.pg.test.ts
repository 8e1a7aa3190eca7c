import assert from "node:assert/strict";
import { after as afterAll, before, describe, it } from "node:test";
import fc from "fast-check";
import sql, { join } from "sql-template-tag";
import { searchPattern } from "../../domain/name-pattern.ts";
import { sortColumns, sortOrders, type UploadQuery } from "../../domain/upload-query.ts";
import { viewOf } from "../../domain/view.ts";
import { queryColumn } from "../column-query.ts";
import type { ReadColumn, Run } from "../database.ts";
import { listDocumentsBy } from "../list-upload-documents.ts";
import { listUploadsBy } from "../list-uploads.ts";
import { literalText } from "../literal-text.ts";
import type { Statement } from "../statements.ts";
import { listScope } from "../upload-list.ts";
import { makeZones } from "../write/make-zones.ts";
import { runOn } from "../write/run-statement.ts";
import { createListDatabase, type ListDatabase } from "./list-database.testing.ts";
import type { Bound } from "./list-plan.ts";
import { bucketId, fillBucket } from "./sample-bucket.testing.ts";
import { zoneWalkPlan } from "./zone-walk-plan.ts";

describe("a walk over zones", () => {
  let database: ListDatabase;
  before(async () => {
    database = await createListDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("goes from stretch to stretch of zones with set bits", async () => {
    // Often equal to the one before, so that stretches are long.
    const bits = fc
      .array(fc.constantFrom("0", "1", "1111", "0000"), { minLength: 1, maxLength: 30 })
      .map((parts) => parts.join(""));
    const property = fc.asyncProperty(bits, fc.boolean(), async (zones, descending) => {
      const starts = [...zones].map((_, zone) => zone * 10).slice(1);
      const { rows } = await database.client.query<{ stretch: (number | null)[] }>(
        `select array[from_key, to_key] as stretch
         from uploads.zone_stretches($1::bit varying::bit(${zones.length}), $2::int[], $3)
           with ordinality z (from_key, to_key, number)
         order by number`,
        [zones, starts, descending],
      );
      const expected = [...zones.matchAll(/1+/g)].map(({ index, 0: { length } }) => [
        starts[index - 1] ?? null,
        starts[index + length - 1] ?? null,
      ]);
      if (descending) expected.reverse();
      assert.deepEqual(
        rows.map(({ stretch }) => stretch),
        expected,
      );
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it("goes over all keys where nothing is known", async () => {
    const { rows } = await database.client.query(
      "select * from uploads.zone_stretches(null, null::int[], false)",
    );
    assert.deepEqual(rows, [{ from_key: null, to_key: null }]);
  });

  it("takes no sorting in any order: the database knows that stretches are ordered", async () => {
    await fillBucket(database.client, 1000);
    await database.client.query("begin");
    await makeZones(runOn(database.client), bucketId, 1000);
    await database.client.query("commit");
    for (const sortBy of sortColumns) {
      for (const sortOrder of sortOrders) {
        const name = searchPattern("report");
        const query = { ...noFilter, name, sortBy, sortOrder };
        for (const bound of [undefined, 200]) {
          const plans = await explainedPages(query, bound);
          assert.equal(plans.length, 2);
          for (const plan of plans) {
            assert.match(plan, /Function Scan on zone_stretches/);
            assert.match(plan, /Scan.* using uploads_in_bucket_by_/, plan);
            assert.doesNotMatch(plan, sorting, plan);
          }
        }
      }
    }
  });

  /** How documents are found, and how messages are. */
  async function explainedPages(query: UploadQuery, bound: Bound): Promise<string[]> {
    const question = { organisationId: "o", clientId: "client", name: { bucketId } };
    const list = { bucketId, view: viewOf(["/"], [], "client"), query, question };
    const page = { after: undefined, pageSize: 50 };
    const scope = listScope(list);
    assert.ok(scope);
    const plan = zoneWalkPlan({ list, scope, page }, bound, { isCounted: false });
    const plans: string[] = [];
    const readColumn: ReadColumn = async ({ text, values }) => {
      plans.push(await explained({ text, values }));
      return queryColumn(database.client, { name: undefined, text, values });
    };
    const run: Run = async (statement) => {
      plans.push(await explained(statement));
      return runOn(database.client)(statement);
    };
    await listDocumentsBy(readColumn, plan, list, page);
    await listUploadsBy(run, plan, list, page);
    return plans;
  }

  // Prepared, so that it is planned as for all values. The database joins what it can in another
  // way than row by row, as it might for other numbers of rows.
  async function explained({ text, values }: Statement): Promise<string> {
    await database.client.query("set enable_nestloop = off");
    await database.client.query(`prepare walk as ${text}`);
    const { rows } = await database.client.query<{ "QUERY PLAN": string }>(
      `explain ${literalText(sql`execute walk(${join(values)})`)}`,
    );
    await database.client.query("deallocate walk; reset enable_nestloop");
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  }
});

/** But for that of a page's rows by their numbers, which they have from how they came. */
const sorting =
  /Sort Key: (?!.*row_number)|Seq Scan on uploads|Hash|Merge|Bitmap Heap Scan on uploads/;

const noFilter = {
  path: undefined,
  recursive: false,
  tags: { allOf: [], anyOf: [], noneOf: [] },
  createdFrom: undefined,
  createdTo: undefined,
};
