import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import { FolderSchema } from "@stowage/api/svc/api/v1/folder_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { createLogger, openPool } from "@stowage/process";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { raw } from "sql-template-tag";
import { subtreeRange } from "../domain/key-range.ts";
import { namePattern } from "../domain/name-pattern.ts";
import { treeKey } from "../domain/tree-key.ts";
import { viewOf } from "../domain/view.ts";
import { createDatabase, type Database, type Run } from "./database.ts";
import { literalText } from "./literal-text.ts";
import { schemaDirectory, schemaName } from "./prepare-database.ts";
import { planInTreeOrder } from "./tree-rows.ts";
import { type TreeQuery, treeStatement } from "./tree-statement.ts";
import { copiedTable } from "./write/copied-table.ts";
import { folderValues, uploadValues } from "./write/written-values.ts";

const bucketId = "0b5c1d9e-3a58-4a5e-9c0e-000000000001";
const clientId = "11111111-0000-4000-8000-000000000001";
const path = namePattern("contains", "7", false);
const upload = namePattern("prefix", "file 1", false);

const wholeBucket = viewOf(["/"], [], clientId);
const views = {
  "the whole bucket": wholeBucket,
  "without hidden folders": viewOf(["/"], [treeKey("/3"), treeKey("/5/1")], clientId),
  "two locations": viewOf(["/3/1", "/4"], [], clientId),
};
const filters = {
  "no filter": { path: undefined, upload: undefined, depthMax: 0 },
  "a path filter": { path, upload: undefined, depthMax: 0 },
  "an upload filter": { path: undefined, upload, depthMax: 0 },
  "both filters": { path, upload, depthMax: 2 },
  "a depth limit": { path: undefined, upload: undefined, depthMax: 1 },
};

/** What EXPLAIN says of a part of a plan, as far as it matters here. */
interface Plan {
  "Node Type": string;
  "Index Name"?: string;
  Plans?: Plan[];
}

describe("treeStatement()", () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  let database: Database;

  before(async () => {
    testDatabase = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
    const { databaseUrl } = testDatabase;
    const logger = createLogger({ name: "test", level: "silent" });
    pool = openPool({ databaseUrl, applicationName: "test", connectionsMax: 1, logger });
    database = createDatabase(pool, pool);
    const client = await pool.connect();
    await fill(client);
    client.release();
  });
  after(async () => {
    await pool.end();
    await testDatabase.drop();
  });

  for (const [viewName, view] of Object.entries(views)) {
    for (const [filterName, filter] of Object.entries(filters)) {
      for (const includeUploads of [false, true]) {
        const name = `${viewName}, ${filterName}${includeUploads ? ", uploads" : ""}`;
        it(`is planned to give its first row at once: ${name}`, async () => {
          const subtree = subtreeRange(treeKey("/"));
          const query = { bucketId, view, subtree, filters: filter, includeUploads };
          const signal = new AbortController().signal;
          await database.read({ signal, snapshot: true }, async (run) => {
            await planInTreeOrder(run);
            assertInOrder(await planOf(run, { ...query, includeTotals: true }));
          });
        });
      }
    }
  }
});

async function planOf(run: Run, query: TreeQuery): Promise<Plan> {
  const text = `explain (format json) ${literalText(treeStatement(query, true))}`;
  const [row] = await run<{ "QUERY PLAN": [{ Plan: Plan }] }>(raw(text));
  assert.ok(row);
  return row["QUERY PLAN"][0].Plan;
}

// The way that the rows come is the first of each join's inputs.
function assertInOrder(plan: Plan): void {
  const way: string[] = [];
  let last = plan;
  for (let part: Plan | undefined = plan; part !== undefined; part = inputOf(part)) {
    way.push(part["Node Type"]);
    last = part;
  }
  assert.equal(last["Index Name"], "folders_bucket_id_tree_key_key", way.join(" < "));
  for (const type of way) assert.ok(inOrder.has(type), way.join(" < "));
}

/** Parts of plans that pass rows on as they come. */
const inOrder = new Set([
  "Incremental Sort",
  "Index Only Scan",
  "Index Scan",
  "Nested Loop",
  "Result",
  "Subquery Scan",
]);

function inputOf({ Plans: plans = [] }: Plan): Plan | undefined {
  return plans.find((plan) => !("Subplan Name" in plan));
}

/** Folders of three levels, with more uploads in some than in others, and in no order on disk. */
async function fill(client: pg.ClientBase): Promise<void> {
  await client.query("insert into uploads.buckets values ($1, 'a.example.com', 'o')", [bucketId]);
  const branches = Array.from({ length: 20 }, (_, index) => `/${index}`);
  const twigs = branches.flatMap((path) => branches.map((name) => path + name));
  const leaves = twigs.flatMap((path) => branches.slice(0, 10).map((name) => path + name));
  const paths = shuffled(["/", ...branches, ...twigs, ...leaves]);

  const folders = copiedTable(client, "uploads.folders", folderValues);
  for (const [line, path] of paths.entries()) {
    const folder = create(FolderSchema, { folderId: randomUUID(), path });
    folders.add({ kind: "folder", bucketId, line, folder });
  }
  await folders.send(true);

  const uploads = copiedTable(client, "uploads.uploads", uploadValues);
  const times = { createdAt: { seconds: 1n }, updatedAt: { seconds: 1n } };
  const places = paths.flatMap((path) => Array(path.startsWith("/1/") ? 100 : 2).fill(path));
  for (const [line, path] of shuffled(places).entries()) {
    const uploadId = String(line);
    const upload = create(UploadSchema, { uploadId, path, filename: `file ${line}`, ...times });
    uploads.add({ kind: "upload", bucketId, line, upload });
  }
  await uploads.send(true);
  await client.query("vacuum analyze uploads.folders, uploads.uploads");
}

// The same every time.
function shuffled(texts: readonly string[]): string[] {
  const places = texts.map((_, index) => (index * 7919) % texts.length);
  return places.map((place) => texts[place] ?? "");
}
