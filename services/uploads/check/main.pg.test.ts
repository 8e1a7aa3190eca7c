import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { create } from "@bufbuild/protobuf";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { uploadValues } from "../import/records/column-values.ts";
import { copiedTable } from "../postgres/copy-in.ts";
import { schemaDirectory, schemaName } from "../postgres/prepare-database.ts";

const program = fileURLToPath(new URL("./main.ts", import.meta.url));

async function checkDocuments({ databaseUrl }: TestDatabase) {
  const child = spawn(process.execPath, [program], { env: { DATABASE_URL: databaseUrl } });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [exitCode, output, errors] = await Promise.all([
    exit,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, output, errors };
}

const bucketId = "00000000-0000-4000-8000-000000000001";
const addFolders = (count: number, colour: string) => `
  insert into uploads.folders (bucket_id, folder_id, path, path_folded, colour,
    has_public_directory_listing, inherited_has_directory_listing, private_access,
    inherited_private_access, is_share_root, virtual_file_enabled, virtual_file_name,
    external_path, external_parent_path, "order", integration_hidden)
  select '${bucketId}', gen_random_uuid(), '/${colour}' || n, '', '${colour}',
    false, false, false, false, false, false, '', '', '', 0, false
  from generate_series(1, ${count}) n`;

async function addUpload(client: pg.ClientBase): Promise<void> {
  const table = copiedTable(client, "uploads.uploads", uploadValues);
  const time = { $typeName: "google.protobuf.Timestamp", seconds: 1n, nanos: 0 } as const;
  const members = { uploadId: "scan", path: "/red1", filename: "scan.pdf", slug: "scan.pdf" };
  const upload = create(UploadSchema, { ...members, createdAt: time, updatedAt: time });
  table.add({ kind: "upload", bucketId, line: 1, upload });
  await table.send(true);
}

/** One block for everything, with a bit for the n-gram, except in the order by filename. */
const skipIndexWithout = (nGram: string) => `
  insert into uploads.skip_index_buckets values ('${bucketId}', 1);
  insert into uploads.skip_index_blocks values ('${bucketId}', 0);
  insert into uploads.skip_index_bitmaps
  select '${bucketId}', 0, '${nGram}', first, first, none, first, first
  from (select 0::bit(1024) as none, ~ 0::bit(1024) as first) bits`;

it("reports the number of documents, and the wrong documents, sizes and n-grams", async () => {
  const database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
  const client = new pg.Client(database.databaseUrl);
  await client.connect();
  await client.query(`insert into uploads.buckets values ('${bucketId}', 'a.example.com', 'org')`);
  // More than are read at a time.
  await client.query(addFolders(1200, "red"));

  assert.deepEqual(await checkDocuments(database), {
    exitCode: 0,
    output: "1200 documents compared, 0 wrong\n",
    errors: "",
  });

  await client.query("insert into uploads.bucket_sizes values ($1, 1200, 1)", [bucketId]);
  const withWrongSize = await checkDocuments(database);
  assert.equal(withWrongSize.exitCode, 1);
  const need = `bucket ${bucketId}: got 1200 folders and 1 uploads, need 1200 and 0\n`;
  assert.equal(withWrongSize.output, `1200 documents compared, 0 wrong\n${need}`);
  assert.match(withWrongSize.errors, /^check: The sizes of some buckets are wrong; /);

  await client.query("delete from uploads.bucket_sizes");
  await addUpload(client);
  await client.query(skipIndexWithout("can"));
  const withWrongBitmaps = await checkDocuments(database);
  assert.equal(withWrongBitmaps.exitCode, 1);
  assert.equal(
    withWrongBitmaps.output,
    `1201 documents compared, 0 wrong
bucket ${bucketId}: searches with "can" by filename miss uploads\n`,
  );
  assert.match(withWrongBitmaps.errors, /^check: Some searches skip blocks that contain matches; /);
  await client.query("delete from uploads.uploads");

  await client.query("alter table uploads.folders alter document drop expression");
  await client.query(
    `update uploads.folders set document = replace(document, '"colour":"red"', '"colour":"pink"')
     where path in (select path from uploads.folders order by path limit 30)`,
  );
  await client.end();
  const { exitCode, output, errors } = await checkDocuments(database);
  const lines = output.trimEnd().split("\n");
  assert.equal(exitCode, 1, output + errors);
  assert.equal(lines.length, 20 + 1);
  assert.match(
    lines[0] ?? "",
    /^folders .*: got ".*\\"colour\\":\\"pink.*", need ".*colour\\":\\"red/,
  );
  assert.equal(lines.at(-1), "1200 documents compared, 30 wrong");
  assert.match(errors, /^check: Some documents do not match their columns; /);
  await database.drop();
});
