import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { visibilityOf } from "../access/visibility.ts";
import { runOn } from "../import/merge/statements.ts";
import { treeKey } from "../model/tree-key.ts";
import { subtreeRange } from "../model/tree-key-range.ts";
import { schemaDirectory, schemaName } from "../postgres/prepare-database.ts";
import { planTree } from "./plan.ts";

const bucket = { bucketId: "0b5c1d9e-3a58-4a5e-9c0e-000000000001", bucketNumber: 1 };
const visibility = visibilityOf(["/"], [], undefined, false);
const manyFolders = 10_001;

describe("a tree with a depth limit", () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
    client = new pg.Client(database.databaseUrl);
    await client.connect();
    await client.query(
      "insert into uploads.buckets values ($1, $2, 'a.example.com', 'o')",
      Object.values(bucket),
    );
    await client.query(
      `insert into uploads.folders
        (bucket_number, folder_id, tree_key, tree_position, integration_hidden)
      select $1, gen_random_uuid(), tree_key, row_number() over (order by tree_key), false
      from (select uploads.tree_key(path) collate "C" as tree_key from unnest($2::text[]) path) f`,
      [bucket.bucketNumber, [...paths()]],
    );
    await client.query("vacuum analyze uploads.folders");
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const cases: readonly [what: string, path: string, depthMax: number, levels?: number[]][] = [
    ["of few folders is read by level", "/full/1", 1, [2, 3]],
    ["of many folders, each with some below, is read by level", "/full", 1, [1, 2]],
    ["of many folders, with nothing below, is read as a whole", "/flat", 1],
    ["of nearly all folders is read as a whole", "/full", 2],
  ];
  for (const [what, path, depthMax, levels] of cases) {
    it(what, async () => {
      const filters = { path: undefined, upload: undefined, onlyMatches: false, depthMax };
      const subtree = subtreeRange(treeKey(path));
      const includes = { includeUploads: false, includeRollups: false };
      const query = { ...bucket, visibility, subtree, filters, ...includes };
      assert.deepEqual((await planTree(runOn(client), query)).levels, levels);
    });
  }
});

function* paths(): Generator<string> {
  yield* ["/", "/flat", "/full"];
  for (let folder = 1; folder <= manyFolders; folder++) {
    yield* [`/flat/${folder}`, `/full/${folder}`];
    for (const below of ["a", "b", "c", "d"]) yield `/full/${folder}/${below}`;
  }
}
