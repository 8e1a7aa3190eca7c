import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { createLogger, openPool } from "@stowage/process";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { bucketLine, createUploadsDatabase, importLines } from "../import/testing/import.ts";
import { createDatabase, type Database } from "../postgres/database.ts";
import type { Statement } from "../postgres/named-parameters.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { emptyRecord, listUploadsOn } from "./testing/call-list.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";
const uploadCount = 5000;

/** No plan but a scan of the whole bucket finds it. */
const rare = { tags: { noneOf: ["x"] } };

const endless = { text: "select pg_sleep(60)::text", values: [] };

describe("lists that read a large part of a bucket", () => {
  let testDatabase: TestDatabase;
  let poolOptions: Omit<Parameters<typeof openPool>[0], "connectionsMax">;
  let shortPool: pg.Pool;
  let longPool: pg.Pool;
  before(async () => {
    testDatabase = await createUploadsDatabase();
    const { databaseUrl } = testDatabase;
    const uploads = Array.from({ length: uploadCount }, (_, n) => ({
      upload: { path: "/a", filename: `${n}.txt`, sizeBytes: n, tags: [n === 9 ? "rare" : "x"] },
    }));
    await importLines(databaseUrl, [bucketLine(bucketId), ...uploads]);
    const logger = createLogger({ name: "test", level: "silent" });
    poolOptions = { databaseUrl, applicationName: "long-test", logger, Client: RawClient };
    shortPool = openPool({ ...poolOptions, connectionsMax: 2 });
    longPool = openPool({ ...poolOptions, connectionsMax: 1 });
    // The plans are those of a large bucket.
    await shortPool.query("update uploads.bucket_sizes set uploads = 1000000000");
  });
  after(async () => {
    await Promise.all([shortPool.end(), longPool.end()]);
    await testDatabase.drop();
  });

  async function list(long: Database, request: JsonObject) {
    const short = createDatabase(shortPool, shortPool);
    const answer = await listUploadsOn({ short, long, longTimeoutMs: 2000 })({
      bucketRef: { bucketId },
      ...request,
    });
    return JSON.parse(answer.json.toString());
  }

  /** A database for long reads that counts them, and runs another statement in their place. */
  function longDatabase(replacement?: Statement) {
    const database = createDatabase(longPool, shortPool);
    const counted = { reads: 0 };
    const read: Database["read"] = (options, work) => {
      counted.reads += 1;
      return database.read(options, (statements) => {
        const { readColumn } = statements;
        if (replacement === undefined) return work(statements);
        return work({ ...statements, readColumn: (_, reader) => readColumn(replacement, reader) });
      });
    };
    return { read, counted };
  }

  it("use the connections for long statements", async () => {
    const long = longDatabase();
    const { uploads, nextCursor } = await list(long, { ...rare, sortBy: "filename" });
    assert.deepEqual([uploads.length, uploads[0]?.filename, nextCursor], [1, "9.txt", ""]);
    assert.equal(long.counted.reads, 1);
  });

  it("use them for patterns of single characters", async () => {
    const long = longDatabase();
    assert.deepEqual((await list(long, { search: "*q*z*" })).uploads, []);
    assert.equal(long.counted.reads, 1);
  });

  it("do not use them if the first plans find the page", async () => {
    const long = longDatabase();
    for (const request of [{}, { search: "txt" }, { search: "4321" }, { path: "/a" }]) {
      assert.ok((await list(long, request)).uploads.length > 0);
    }
    assert.equal(long.counted.reads, 0);
  });

  it("use them if the index of names takes too long", async () => {
    const slow = openPool({ ...poolOptions, connectionsMax: 1, statementTimeoutMs: 500 });
    const database = createDatabase(slow, shortPool);
    const short: Database = {
      read: (options, work) =>
        database.read(options, (statements) =>
          work({
            ...statements,
            readColumn: (statement, reader) => {
              const isFetch = statement.text.includes("found as materialized");
              return statements.readColumn(isFetch ? endless : statement, reader);
            },
          }),
        ),
    };
    const long = longDatabase();
    const record = emptyRecord();
    const listUploads = listUploadsOn({ short, long, longTimeoutMs: 2000 });
    for (const isCached of [false, true]) {
      const request = { bucketRef: { bucketId }, search: "4321" };
      const { json } = await listUploads(request, record);
      assert.equal(JSON.parse(json.toString()).uploads.length, 1, `cached: ${isCached}`);
      const [first, fetch, ...rest] = record.plans.map(({ plan }) => plan);
      assert.deepEqual([first, fetch], ["skip-index scan", "index fetch"]);
      assert.notEqual(rest.length, 0);
    }
    assert.equal(long.counted.reads, 2);
    assert.equal(slow.totalCount, 1);
    await slow.end();
  });

  for (const [name, request] of Object.entries({ short: {}, long: rare })) {
    it(`report the plans by the present access only: ${name} plans`, async () => {
      const short = createDatabase(shortPool, shortPool);
      const listUploads = listUploadsOn({ short, long: longDatabase(), longTimeoutMs: 2000 });
      const triedPlans = async () => {
        const record = emptyRecord();
        await listUploads({ bucketRef: { bucketId }, ...request, sortBy: "filename" }, record);
        return record.plans;
      };
      const tried = await triedPlans();
      assert.ok(tried.length > 0);
      await shortPool.query(
        `insert into uploads.access_versions values ($1, 1)
         on conflict (bucket_id) do update set version = access_versions.version + 1`,
        [bucketId],
      );
      assert.deepEqual(await triedPlans(), tried);
    });
  }

  it("end with advice when they take too long, and keep the connection", async () => {
    const long = longDatabase(endless);
    await assert.rejects(list(long, { ...rare, sortBy: "filename" }), (error: Error) => {
      assert.equal("reason" in error && error.reason, "LIST_TOO_EXPENSIVE");
      assert.match(error.message, /folder.*longer text.*dates/);
      return true;
    });
    assert.equal((await list(longDatabase(), rare)).uploads.length, 1);
    assert.equal(longPool.totalCount, 1);
  });
});
