import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { visibilityOf } from "../../access/visibility.ts";
import { sortColumns } from "../../model/upload-query.ts";
import { listScope } from "./parameters.ts";
import { listStatements } from "./statement.ts";
import { executeText } from "./testing/execute-text.ts";
import { createListDatabase, type ListDatabase } from "./testing/list-database.ts";
import { fillSkewedBucket, skewedBucket } from "./testing/skewed-bucket.ts";

const lookup = {
  organisationId: "o",
  clientId: "client",
  name: { bucketId: skewedBucket.bucketId },
};
const visibility = visibilityOf(["/"], [], undefined, false);

describe("a fetch of a range of creation times", () => {
  let database: ListDatabase;
  before(async () => {
    database = await createListDatabase();
    await fillSkewedBucket(database.client, 20_000);
  });
  after(() => database[Symbol.asyncDispose]());

  /** What EXPLAIN says of the plan for all values. */
  async function explained(path: string | undefined, sortBy: (typeof sortColumns)[number]) {
    const { client } = database;
    const query = {
      path,
      recursive: false,
      tags: { allOf: [], anyOf: [], noneOf: [] },
      name: undefined,
      createdFrom: 50_000_000_000n,
      createdTo: 50_500_000_000n,
      sortBy,
      sortOrder: "asc" as const,
    };
    const list = { ...skewedBucket, lookup, visibility, query };
    const scope = listScope(list) ?? assert.fail("it has a scope");
    const plan = { kind: "range", by: "created_at", budget: 1020 } as const;
    const statementFor = listStatements(list, scope, { after: undefined, pageSize: 50 });
    const statement = statementFor({ plan, parameters: { fetchedMax: 5000 } });
    await client.query(`prepare list as ${statement.text}`);
    const execute = executeText("list", statement.values);
    const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain ${execute}`);
    await client.query("deallocate list");
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  }

  for (const sortBy of sortColumns.filter((column) => column !== "created_at")) {
    it(`reads the times of the folder alone, for a list by ${sortBy}`, async () => {
      const ofFolder = await explained("/inbox", sortBy);
      assert.match(ofFolder, /using uploads_in_folder_by_created_at/);
      assert.doesNotMatch(ofFolder, /uploads_in_bucket/);
      assert.match(await explained(undefined, sortBy), /using uploads_in_bucket_by_created_at/);
    });
  }
});
