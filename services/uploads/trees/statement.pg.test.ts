import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createLogger, openPool } from "@stowage/process";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { visibilityOf } from "../access/visibility.ts";
import { bucketLine, createUploadsDatabase, importLines } from "../import/testing/import.ts";
import { namePattern } from "../model/name-pattern.ts";
import { treeKey } from "../model/tree-key.ts";
import { subtreeRange } from "../model/tree-key-range.ts";
import { createDatabase, type Database } from "../postgres/database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { applyPlannerSettings, planTree, type TreePlan } from "./plan.ts";
import { treeParameters, treeStatement } from "./statement.ts";

const bucketId = "0b5c1d9e-3a58-4a5e-9c0e-000000000001";
const bucket = { bucketId, bucketNumber: 1 };
const clientId = "11111111-0000-4000-8000-000000000001";
const path = namePattern("contains", "7", false);
const upload = namePattern("prefix", "file 1", false);
const rareUpload = namePattern("equals", "file 1234", false);

const wholeBucket = visibilityOf(["/"], [], clientId);
const views = {
  "the whole bucket": wholeBucket,
  "without hidden folders": visibilityOf(["/"], [treeKey("/3"), treeKey("/5/1")], clientId),
  "two locations": visibilityOf(["/3/1", "/4"], [], clientId),
  "nothing hidden, with stored totals": visibilityOf(["/"], [], clientId, false),
};
const noFilter = { path: undefined, upload: undefined, onlyMatches: false, depthMax: 0 };
const filters = {
  "no filter": noFilter,
  "a path filter": { ...noFilter, path },
  "an upload filter": { ...noFilter, upload },
  "both filters": { ...noFilter, path, upload, depthMax: 2 },
  "a depth limit": { ...noFilter, depthMax: 1 },
  "a depth limit, an upload filter": { ...noFilter, upload, depthMax: 2 },
  "a rare upload filter": { ...noFilter, upload: rareUpload },
  "only rare matches": { ...noFilter, upload: rareUpload, onlyMatches: true },
};

/** What EXPLAIN says of a node of a plan, as far as it matters here. */
interface Plan {
  "Node Type": string;
  "Index Name"?: string;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: Plan[];
}

describe("treeStatement()", () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  let database: Database;

  before(async () => {
    testDatabase = await createUploadsDatabase();
    const { databaseUrl } = testDatabase;
    await fill(databaseUrl);
    const logger = createLogger({ name: "test", level: "silent" });
    pool = openPool({
      databaseUrl,
      applicationName: "test",
      connectionsMax: 1,
      logger,
      Client: RawClient,
    });
    database = createDatabase(pool, pool);
  });
  after(async () => {
    await pool.end();
    await testDatabase.drop();
  });

  for (const [viewName, visibility] of Object.entries(views)) {
    for (const [filterName, filter] of Object.entries(filters)) {
      for (const includeUploads of [false, true]) {
        const name = `${viewName}, ${filterName}${includeUploads ? ", uploads" : ""}`;
        it(`has a plan that returns its first row at once: ${name}`, async () => {
          const subtree = subtreeRange(treeKey("/"));
          const query = { ...bucket, visibility, subtree, filters: filter, includeUploads };
          const signal = new AbortController().signal;
          await database.read({ signal, snapshot: true }, async ({ run }) => {
            const includeRollups = !filter.onlyMatches;
            const plan = await planTree(run, { ...query, includeRollups });
            await applyPlannerSettings(run, plan);
            assert.equal(plan.foldersWithMatches !== undefined, filter.upload === rareUpload);
            assert.equal(plan.foldersToRead !== undefined, filter.onlyMatches);
            const totals = visibility.hidesUploads ? "counted" : "stored";
            assert.equal(plan.totals, includeRollups ? totals : "none");
            assertInOrder(await planOf(run, plan), plan);
          });
        });
      }
    }
  }

  for (const depthMax of [0, 1]) {
    const what = depthMax === 0 ? "the whole tree" : "a level";
    it(`reads only a token's location of ${what} above it`, async () => {
      const pagesOf = async (locations: readonly string[], path: string) => {
        const query = {
          ...bucket,
          visibility: visibilityOf(locations, [], clientId, false),
          subtree: subtreeRange(treeKey(path)),
          filters: { ...noFilter, depthMax },
          includeUploads: false,
          includeRollups: false,
        };
        const { signal } = new AbortController();
        return await database.read({ signal, snapshot: true }, async ({ run }) => {
          const plan = await planTree(run, query);
          await applyPlannerSettings(run, plan);
          await planOf(run, plan, "analyze, buffers");
          const read = await planOf(run, plan, "analyze, buffers");
          return (read["Shared Hit Blocks"] ?? 0) + (read["Shared Read Blocks"] ?? 0);
        });
      };
      const ofLocation = await pagesOf(["/3/1"], "/3/1");
      const aboveLocation = await pagesOf(["/3/1"], "/");
      const ofBucket = await pagesOf(["/"], "/");
      const text = `${aboveLocation} pages, ${ofLocation} for the location, ${ofBucket} for all`;
      // Each range is found by index.
      assert.ok(aboveLocation < ofLocation + 40 && aboveLocation < ofBucket / 1.5, text);
    });
  }
});

async function planOf(run: RunQuery, query: TreePlan, option = "costs"): Promise<Plan> {
  const [row] = await run<{ "QUERY PLAN": [{ Plan: Plan }] }>(
    `explain (format json, ${option}) ${treeStatement(query, true)}`,
    treeParameters(query),
  );
  assert.ok(row);
  return row["QUERY PLAN"][0].Plan;
}

function assertInOrder(plan: Plan, query: TreePlan): void {
  const { levels, foldersToRead } = query;
  const nodes = [...nodesOf(plan)];
  const way = nodes.map((node) => node["Node Type"]).join(", ");
  const sorts = nodes.filter((node) => node["Node Type"] === "Sort");
  const sorted = sorts.map((sort) => firstIndexOf([...nodesOf(sort)]) ?? "given");
  const isInRanges = query.ranges.length > 1;
  const index = levels === undefined ? "folders_bucket_number_tree_key_key" : "folders_by_level";
  const sortedIndexes = levels === undefined ? [] : [index];
  const areGiven = foldersToRead !== undefined || (isInRanges && levels === undefined);
  assert.deepEqual(sorted, areGiven ? ["given"] : sortedIndexes, way);
  for (const node of nodes) assert.ok(inOrder.has(node["Node Type"]), way);
  assert.equal(firstIndexOf(nodes), index, way);
}

function firstIndexOf(nodes: readonly Plan[]): string | undefined {
  return nodes.find((node) => node["Index Name"] !== undefined)?.["Index Name"];
}

/** Plan nodes that pass rows on as they arrive; they sort no uploads. */
const inOrder = new Set([
  "Aggregate",
  "Append",
  "Function Scan",
  "Index Only Scan",
  "Index Scan",
  "Limit",
  "Nested Loop",
  "Result",
  "Sort",
  "Subquery Scan",
  "Unique",
]);

/** All plan nodes except subplans, each before its inputs. */
function* nodesOf(plan: Plan): Generator<Plan> {
  if ("Subplan Name" in plan) return;
  yield plan;
  for (const input of plan.Plans ?? []) yield* nodesOf(input);
}

/** Folders of three levels, with more uploads in some than in others, and in no order on disk. */
async function fill(databaseUrl: string): Promise<void> {
  const branches = Array.from({ length: 20 }, (_, index) => `/${index}`);
  const twigs = branches.flatMap((path) => branches.map((name) => path + name));
  const leaves = twigs.flatMap((path) => branches.slice(0, 10).map((name) => path + name));
  const paths = shuffled(["/", ...branches, ...twigs, ...leaves]);
  const places = paths.flatMap((path) => Array(path.startsWith("/1/") ? 100 : 2).fill(path));
  const uploads = shuffled(places).map((path, line) => ({
    upload: { uploadId: String(line), path, filename: `file ${line}`, sizeBytes: 0 },
  }));
  assert.equal((await importLines(databaseUrl, [bucketLine(bucketId), ...uploads])).errors, "");
}

// The same every time.
function shuffled(texts: readonly string[]): string[] {
  const places = texts.map((_, index) => (index * 7919) % texts.length);
  return places.map((place) => texts[place] ?? "");
}
