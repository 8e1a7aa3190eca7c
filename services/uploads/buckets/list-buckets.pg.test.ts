import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { ListBucketsRequestSchema } from "@stowage/api/stowage/v1/buckets_service_pb";
import { createLogger, openPool } from "@stowage/process";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import type { CallDetails } from "../calls/call-details.ts";
import { bucketLine, createUploadsDatabase, importLines } from "../import/testing/import.ts";
import { createDatabase, type Database } from "../postgres/database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { listBucketsHandler } from "./list-buckets.ts";

const bucketIds = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`);
const record: CallDetails = { bucketId: undefined, rows: undefined, plans: [] };
const call = {
  caller: { organisationId: "org", clientId: "client" } as AccessToken,
  signal: new AbortController().signal,
  record,
  onClosed() {},
  resizeAnswer() {},
};

let testDatabase: TestDatabase;
let pool: pg.Pool;
let statements = 0;
let database: Database;
before(async () => {
  testDatabase = await createUploadsDatabase();
  const { databaseUrl } = testDatabase;
  const lines = bucketIds.flatMap((bucketId, index) => [
    bucketLine(bucketId, { primary: index === 0 }),
    { upload: { path: "/", filename: "x", sizeBytes: 1 } },
  ]);
  assert.equal((await importLines(databaseUrl, lines)).errors, "");
  const logger = createLogger({ name: "test", level: "silent" });
  const options = { databaseUrl, applicationName: "test", logger, Client: RawClient };
  pool = openPool({ ...options, connectionsMax: 2 });
  const counted = createDatabase(pool, pool);
  database = {
    read: (readOptions, work) =>
      counted.read(readOptions, (given) =>
        work({
          ...given,
          run(text, values) {
            statements += 1;
            return given.run(text, values);
          },
        }),
      ),
  };
});
after(async () => {
  await pool?.end();
  await testDatabase?.drop();
});

it("ListBuckets takes four statements for a page, however many buckets it has", async () => {
  const answer = await listBuckets(call);
  assert.ok("json" in answer);
  const { buckets } = JSON.parse(answer.json.toString()) as { buckets: { uploadCount: number }[] };
  assert.deepEqual(
    buckets.map(({ uploadCount }) => uploadCount),
    [1, 1, 1],
  );
  assert.equal(statements, 4);
});

function listBuckets(given: typeof call) {
  const handler = listBucketsHandler({
    databaseFor: () => database,
    cursorKey: Buffer.alloc(32),
  });
  return handler(create(ListBucketsRequestSchema, {}), given);
}
