import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { arbitraryMessage } from "@stowage/api/json/testing/arbitrary-message";
import { writeJson } from "@stowage/api/json/write-json";
import { type Upload, UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import fc from "fast-check";
import pg from "pg";
import { uploadValues } from "../import/records/column-values.ts";
import { timestampOfMicros } from "../model/timestamps.ts";
import { copiedTable } from "../postgres/copy-in.ts";
import { schemaDirectory, schemaName } from "../postgres/prepare-database.ts";
import { readUploads } from "./testing/read-uploads.ts";

const bucketId = "6f3c7a52-0c43-4f37-8d0e-8a7a3d2f4b11";
const baseUrl = "http://uploads.example.com/a";
const integrationId = randomUUID();

let database: TestDatabase;
let client: pg.Client;
before(async () => {
  database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
  client = new pg.Client(database.databaseUrl);
  await client.connect();
  await client.query("insert into uploads.buckets values ($1, 1, 'a.example.com', 'org')", [
    bucketId,
  ]);
  await client.query(
    `insert into uploads.integrations
       (bucket_number, integration_id, name, oauth_client_id, folder_behavior, folder_link_url)
     values (1, $1, 'Scans', 'scanner', 1, '')`,
    [integrationId],
  );
});
after(async () => {
  await client.end();
  await database.drop();
});

function read(): Promise<JsonObject[]> {
  return readUploads({ ...database, bucketId, baseUrl, orderBy: 'u."order"' });
}

async function store(uploads: readonly Upload[]): Promise<void> {
  await client.query("truncate uploads.uploads");
  const table = copiedTable(client, "uploads.uploads", {
    ...uploadValues,
    bucket_number: () => 1,
    tree_position: () => 0,
  });
  for (const [line, upload] of uploads.entries()) {
    table.add({ kind: "upload", bucketId, line, upload });
  }
  await table.send(true);
}

// Quotes and spaces in strings, numbers on both sides of an exponent, odd digits.
const names = fc.constantFrom("0", "10", "2", "01", "-1", "4294967295", 'b": "b', "\\ ", "a", "é");
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1e21, 123456789012345680000, 1e-6, 1e-7, 5e-324, 0.1, 1e15, 2 ** 53),
);
const metadata = fc.oneof(
  fc.constant({}),
  fc.dictionary(names, fc.dictionary(names, fc.oneof(numbers, fc.array(numbers)))),
);

/** The bounds of what the index holds, and of what a number holds exactly. */
const micros = fc.oneof(
  fc.bigInt(-62135596800000000n, 253402300799999999n),
  fc.bigInt(-8_090_000_000_000n, 10_000_000_000_000n).map((ms) => ms * 1000n),
  fc.bigInt(0n, 2_000_000_000n).map((seconds) => seconds * 1_000_000n),
  fc.constantFrom(946_684_799_999_999n, 946_684_800_000_000n, 946_684_800_000_001n),
);

const sizes = fc.oneof(
  fc.bigInt(0n, BigInt(Number.MAX_SAFE_INTEGER)),
  fc.constantFrom(0n, 9n, 10n, 999_999_999n, 1_000_000_000n, 2n ** 32n - 1n, 2n ** 32n),
);

const arbitraryUpload = fc.record({
  upload: arbitraryMessage(UploadSchema),
  intentMetadata: metadata,
  created: micros,
  updated: micros,
  sizeBytes: sizes,
  hasDetails: fc.boolean(),
  path: fc.constantFrom("/", "/a", "/a b/\u0001\u0002/c", '/"\\/\t', "/写真/📷"),
});

describe("UploadJson", () => {
  it("writes what the message of an upload says, in the order of the contract", async () => {
    const samples = fc.sample(arbitraryUpload, 1000).map((sample, line) => {
      const { hasDetails, created, updated, upload: all, ...members } = sample;
      const upload = hasDetails ? all : withoutDetails(all);
      Object.assign(upload, members, {
        uploadId: `${upload.uploadId}${line}`,
        integrationId: line % 3 === 0 ? integrationId : upload.integrationId && randomUUID(),
        createdAt: timestampOfMicros(created),
        integration: undefined,
        updatedAt: timestampOfMicros(updated),
        order: line,
      });
      return upload;
    });
    await store(samples);
    const found = await read();
    assert.equal(found.length, samples.length);
    for (const [at, upload] of samples.entries()) {
      const { integration, ...written } = found[at] as JsonObject;
      // JSON has no -0.
      const expected: JsonObject = JSON.parse(JSON.stringify(writeJson(UploadSchema, upload)));
      assert.deepEqual(written, expected);
      assert.deepEqual(Object.keys(written), Object.keys(expected));
      const name = (integration as JsonObject | undefined)?.name;
      assert.equal(name, upload.integrationId === integrationId ? "Scans" : undefined);
    }
  });

  it("gives uploads of a source the address of their content", async () => {
    const time = timestampOfMicros(0n);
    const members = { url: "http://a.example.com", contentUrl: "http://b.example.com", path: "/" };
    const upload = create(UploadSchema, {
      ...members,
      uploadId: '"é',
      createdAt: time,
      updatedAt: time,
    });
    await store([upload]);
    await client.query("update uploads.uploads set source_id = $1", [randomUUID()]);
    const [found] = await read();
    assert.equal(found?.contentUrl, `${baseUrl}/content/${bucketId}/"é`);
    assert.equal(found?.url, upload.url);
  });
});

function withoutDetails({ filename, slug, tags, type, externalPath }: Upload): Upload {
  return create(UploadSchema, { filename, slug, tags, type, externalPath });
}
