import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { createLogger, openPool } from "@stowage/process";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { uploadDetails } from "../answers/members.ts";
import { bucketLine, createUploadsDatabase, importLines } from "../import/testing/import.ts";
import { createDatabase } from "../postgres/database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { listUploadsOn } from "./testing/call-list.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";
const uploadCount = 45;
const pageBytesMax = 8 * 1024 * 1024;

/** From 1 kB to 3 MB, and one that is larger than a page. */
const descriptionBytes =
  "case when n = 30 then 9000000 else (array[1000, 300000, 3000000])[n % 3 + 1] end";

describe("pages of large uploads", () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  let list: ReturnType<typeof listUploadsOn>;
  before(async () => {
    testDatabase = await createUploadsDatabase();
    const { databaseUrl } = testDatabase;
    const uploads = Array.from({ length: uploadCount }, (_, n) => ({
      upload: { path: "/a", filename: `large-${n}.bin`, sizeBytes: n },
    }));
    await importLines(databaseUrl, [bucketLine(bucketId), ...uploads]);
    const logger = createLogger({ name: "test", level: "silent" });
    const options = { databaseUrl, applicationName: "page-bytes-test", logger };
    pool = openPool({ ...options, connectionsMax: 3, Client: RawClient });
    await pool.query(
      `update uploads.uploads
       set details = replace($1, '"x"', '"' || repeat('x', ${descriptionBytes}) || '"')
       from (select upload_id, row_number() over () as n from uploads.uploads) numbered
       where numbered.upload_id = uploads.upload_id`,
      [uploadDetails.textOf(create(UploadSchema, { url: "x" }))],
    );
    const database = createDatabase(pool, pool);
    list = listUploadsOn({ short: database, long: database, longTimeoutMs: 5000 });
  });
  after(async () => {
    await pool.end();
    await testDatabase.drop();
  });

  async function readPage(request: JsonObject, cursor: string) {
    const bucketRef = { bucketId };
    const answer = await list({ bucketRef, ...request, cursor });
    const page = JSON.parse(answer.json.toString());
    const sizeBytes = answer.json.length;
    answer.release();
    return { uploads: page.uploads, nextCursor: page.nextCursor, sizeBytes };
  }

  const lists = {
    "a whole bucket": {},
    "a search": { search: "large", sortBy: "size_bytes", sortOrder: "desc" },
    "a search in a folder": { path: "/a", search: "bin", sortBy: "filename" },
    "dates in another order": { dateFrom: "2000-01-01T00:00:00Z", sortBy: "filename" },
  };
  for (const [name, request] of Object.entries(lists)) {
    for (const pageSize of [1000, 7]) {
      it(`hold each upload once, and at most 8 MiB: ${name}, ${pageSize} in a page`, async () => {
        const found = new Set<string>();
        let pageCount = 0;
        let cursor = "";
        do {
          const page = await readPage({ ...request, pageSize }, cursor);
          const isSingle = page.uploads.length === 1;
          assert.ok(page.sizeBytes <= pageBytesMax || isSingle);
          for (const { uploadId } of page.uploads) {
            assert.ok(!found.has(uploadId));
            found.add(uploadId);
          }
          pageCount += 1;
          cursor = page.nextCursor;
        } while (cursor !== "");
        assert.equal(found.size, uploadCount);
        assert.ok(pageCount >= 6, `${pageCount} pages`);
      });
    }
  }

  it("cost no connection, and leave it with little memory", async () => {
    while (pool.idleCount < pool.totalCount) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(pool.totalCount <= 3);
    const client = await pool.connect();
    assert.ok(client instanceof RawClient);
    assert.ok(client.column.capacityBytes <= 64 * 1024);
    client.release();
  });
});
