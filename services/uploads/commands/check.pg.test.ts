import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { fileURLToPath } from "node:url";
import { create } from "@bufbuild/protobuf";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { uploadValues } from "../import/records/column-values.ts";
import type { UploadRecord } from "../import/records/record.ts";
import { copiedTable } from "../postgres/copy-in.ts";
import { schemaDirectory, schemaName } from "../postgres/prepare-database.ts";
import { runProgram } from "./testing/program.ts";

const program = fileURLToPath(new URL("./check.ts", import.meta.url));

const check = ({ databaseUrl }: TestDatabase, ...parameters: string[]) =>
  runProgram(parameters, { program, databaseUrl });

const bucketId = "00000000-0000-4000-8000-000000000001";
const bucket = `bucket a.example.com (${bucketId})`;
const addFolders = (count: number) => `
  insert into uploads.folders
    (bucket_number, folder_id, tree_key, tree_position, integration_hidden)
  select 1, gen_random_uuid(), uploads.tree_key('/red' || n), n, false
  from generate_series(10001, ${10_000 + count}) n`;

async function addUpload(client: pg.ClientBase): Promise<void> {
  const table = copiedTable<UploadRecord>(client, "uploads.uploads", {
    ...uploadValues,
    bucket_number: () => 1,
    // Another folder than that at its path.
    tree_position: () => 10_004,
  });
  const time = { $typeName: "google.protobuf.Timestamp", seconds: 1n, nanos: 0 } as const;
  const members = { uploadId: "scan", path: "/red10001", filename: "scan.pdf", slug: "scan.pdf" };
  const upload = create(UploadSchema, { ...members, createdAt: time, updatedAt: time });
  table.add({ kind: "upload", bucketId, line: 1, upload });
  await table.send(true);
}

/** One block for everything, with a bit for the n-gram, except in the order by filename. */
const skipIndexWithout = (nGram: string) => `
  insert into uploads.skip_index_buckets values (1, 1);
  insert into uploads.skip_index_blocks values (1, 0);
  insert into uploads.skip_index_bitmaps
  select 1, 0, '${nGram}', first, first, none, first, first
  from (select 0::bit(1024) as none, ~ 0::bit(1024) as first) bits`;

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
  client = new pg.Client(database.databaseUrl);
  await client.connect();
  await client.query(
    `insert into uploads.buckets values ('${bucketId}', 1, 'a.example.com', 'org')`,
  );
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

it("reports and repairs wrong sizes, positions, totals and n-grams", async () => {
  await client.query(addFolders(1200));

  const withoutSizes = await check(database);
  assert.equal(withoutSizes.exitCode, 1);
  assert.match(withoutSizes.output, /: got 0 folders and 0 uploads, need 1200 and 0\n/);

  await client.query("insert into uploads.bucket_sizes values ($1, 1200, 0)", [bucketId]);
  const right = { exitCode: 0, output: "1 bucket compared, 0 wrong\n", errors: "" };
  assert.deepEqual(await check(database), right);

  await client.query("update uploads.bucket_sizes set uploads = 1");
  const withWrongSize = await check(database);
  assert.equal(withWrongSize.exitCode, 1);
  const need = `${bucket}: got 1200 folders and 1 uploads, need 1200 and 0\n`;
  assert.equal(withWrongSize.output, `${need}1 bucket compared, 1 wrong\n`);
  assert.match(
    withWrongSize.errors,
    /^stowage: .* does not match its rows: the sizes of 1 bucket; stowage check --repair /,
  );

  await addUpload(client);
  await client.query("delete from uploads.bucket_sizes");
  await client.query(`
    update uploads.folders set uploads = 1, size_bytes = 7 where tree_position = 10002;
    update uploads.folders set tree_position = 20000 where tree_position = 10003`);
  await client.query(skipIndexWithout("can"));
  const withWrongBitmaps = await check(database);
  assert.equal(withWrongBitmaps.exitCode, 1);
  assert.equal(
    withWrongBitmaps.output,
    `${bucket}: got 0 folders and 0 uploads, need 1200 and 1
${bucket}, folder "/red10004": got a position before that of "/red10003"
${bucket}, upload "scan": got the position of "/red10004", need that of "/red10001"
${bucket}, totals of "/red10002": got 1 uploads, 7 bytes, need 0, 0
${bucket}, totals of "/red10004": got 0 uploads, 0 uploads of the subtree, need 1, 1
${bucket}: searches with "can" by filename miss uploads
1 bucket compared, 1 wrong\n`,
  );
  const kinds = ["sizes", "positions", "totals", "skip indexes"];
  const wrong = kinds.map((kind) => `the ${kind} of 1 bucket`).join(", ");
  const { errors } = withWrongBitmaps;
  assert.ok(errors.startsWith(`stowage: The index does not match its rows: ${wrong}; `), errors);

  const repaired = await check(database, "--repair");
  assert.equal(repaired.errors, "");
  assert.equal(repaired.exitCode, 0);
  assert.deepEqual(repaired.output.trimEnd().split("\n").slice(-2), [
    `repaired ${wrong}; checking again`,
    "1 bucket compared, 0 wrong",
  ]);
  assert.deepEqual(await check(database), right);
});
