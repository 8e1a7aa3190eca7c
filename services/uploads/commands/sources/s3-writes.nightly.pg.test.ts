/**
 * What runs of a real S3 store write.
 * `OBJECTS=100000 npm test -- commands/sources/s3-writes` is the long form.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type CephServer,
  cephIsMissing,
  startCeph,
  startNode,
  type TestDatabase,
} from "@stowage/process/testing";
import { createUploadsDatabase, select } from "../../import/testing/import.ts";
import { writtenRows } from "../../sources/testing/source-runs.ts";
import {
  type BucketContent,
  createBucket,
  keysByS3cmd,
  s3cmdIsMissing,
} from "../../sources/testing/store-content.ts";

const objects = Number(process.env.OBJECTS ?? 600);
const changes = Math.floor(objects / 100);
const program = fileURLToPath(new URL("../sources.ts", import.meta.url));

describe(`a source of ${objects} objects`, { skip: cephIsMissing || s3cmdIsMissing }, () => {
  let server: CephServer;
  let database: TestDatabase;
  let content: BucketContent;
  before(async () => {
    [server, database] = await Promise.all([startCeph(), createUploadsDatabase()]);
    content = await createBucket(server, "content");
    await content.putAll(keys("first", 0, objects));
  });
  after(async () => {
    await server?.stop();
    await database?.drop();
  });

  async function sources(...parameters: string[]): Promise<string> {
    const env = { DATABASE_URL: database.databaseUrl, ...server.environment };
    const { exitCode, stdout, stderr } = await startNode([program, ...parameters], { env }).ended;
    assert.equal(exitCode, 0, stderr);
    return stdout;
  }

  async function indexedKeys(): Promise<string[]> {
    const rows = await select<{ key: string }>(
      database.databaseUrl,
      `select external_path collate "C" as key from uploads.uploads order by 1`,
    );
    return rows.map(({ key }) => key);
  }

  it("has exactly the keys that s3cmd lists", async () => {
    const bucket = ["--bucket", "a.test", "--organisation", "acme", "--name", "content"];
    const store = ["--endpoint", server.endpoint, "--path-style"];
    await sources("add", "s3", "s3://content", ...bucket, ...store, "--sync");
    const listed = await keysByS3cmd(server, "content");
    assert.equal(listed.length, objects);
    assert.deepEqual(await indexedKeys(), listed);
  });

  it("writes exactly the rows that differ, by PostgreSQL's own counters", async (context) => {
    const before = await writtenRows(database.databaseUrl);
    await content.changeAll([
      ...keys("first", 0, changes).map((key) => [key, "changed"] as const),
      ...keys("first", changes, 2 * changes).map((key) => [key, undefined] as const),
      ...keys("later", 0, changes).map((key) => [key, "new"] as const),
    ]);
    context.diagnostic(await sources("sync", "content"));
    const after = await writtenRows(database.databaseUrl);
    const written = after.map((count, index) => count - (before[index] ?? 0));
    assert.deepEqual(written, [changes, changes, changes]);
    assert.deepEqual(await indexedKeys(), await keysByS3cmd(server, "content"));
  });
});

function* keys(folder: string, from: number, to: number): Generator<string> {
  for (let number = from; number < to; number++) yield `${folder}/é ${number % 97}/${number}.jpg`;
}
