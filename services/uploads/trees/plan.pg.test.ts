import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { visibilityOf } from "../access/visibility.ts";
import { runOn } from "../import/merge/statements.ts";
import { folderValues } from "../import/records/column-values.ts";
import { treeKey } from "../model/tree-key.ts";
import { subtreeRange } from "../model/tree-key-range.ts";
import { copiedTable } from "../postgres/copy-in.ts";
import { schemaDirectory, schemaName } from "../postgres/prepare-database.ts";
import { planTree } from "./plan.ts";

const bucketId = "0b5c1d9e-3a58-4a5e-9c0e-000000000001";
const visibility = visibilityOf(["/"], [], undefined, false);
const manyFolders = 10_001;

describe("a tree with a depth limit", () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
    client = new pg.Client(database.databaseUrl);
    await client.connect();
    await client.query("insert into uploads.buckets values ($1, 'a.example.com', 'o')", [bucketId]);
    const folders = copiedTable(client, "uploads.folders", folderValues);
    for (const [line, path] of [...paths()].entries()) {
      const folder = create(FolderSchema, { folderId: randomUUID(), path });
      folders.add({ kind: "folder", bucketId, line, folder });
    }
    await folders.send(true);
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
      const query = { bucketId, visibility, subtree, filters, ...includes };
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
