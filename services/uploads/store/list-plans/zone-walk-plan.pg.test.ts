import assert from "node:assert/strict";
import { after as afterAll, before, describe, it } from "node:test";
import fc from "fast-check";
import sql, { join, type Sql } from "sql-template-tag";
import { searchPattern } from "../../domain/name-pattern.ts";
import { sortColumns, sortOrders, type UploadQuery } from "../../domain/upload-query.ts";
import { viewOf } from "../../domain/view.ts";
import { literalText } from "../literal-text.ts";
import { listScope } from "../upload-list.ts";
import { makeZones } from "../write/make-zones.ts";
import { runOn } from "../write/run-statement.ts";
import { createListDatabase, type ListDatabase } from "./list-database.testing.ts";
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
          const plan = await explained(walkOf(query, bound));
          assert.match(plan, /Function Scan on zone_stretches/);
          assert.match(plan, /Scan.* using uploads_in_bucket_by_/, plan);
          assert.doesNotMatch(plan, /Sort|Seq Scan|Hash|Merge|Bitmap Heap Scan on uploads/, plan);
        }
      }
    }
  });

  function walkOf(query: UploadQuery, bound: number | undefined): Sql {
    const list = { bucketId, view: viewOf(["/"], [], "client"), query };
    const page = { after: undefined, pageSize: 50 };
    const scope = listScope(list);
    assert.ok(scope);
    const { from, where, orderBy } = zoneWalkPlan({ list, scope, page }, bound, {
      isCounted: false,
    });
    return sql`select u.document from ${from} where ${where} order by ${orderBy} limit 51`;
  }

  // Prepared, so that it is planned as for all values.
  async function explained({ text, values }: Sql): Promise<string> {
    await database.client.query(`prepare walk as ${text}`);
    const { rows } = await database.client.query<{ "QUERY PLAN": string }>(
      `explain ${literalText(sql`execute walk(${join(values)})`)}`,
    );
    await database.client.query("deallocate walk");
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  }
});

const noFilter = {
  path: undefined,
  recursive: false,
  tags: { allOf: [], anyOf: [], noneOf: [] },
  createdFrom: undefined,
  createdTo: undefined,
};
