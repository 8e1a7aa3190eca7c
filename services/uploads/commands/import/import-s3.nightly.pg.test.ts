/** From a real S3 server, by the program that people use. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import {
  type CephServer,
  cephIsMissing,
  makeTemporaryFolder,
  startCeph,
  type TestDatabase,
} from "@stowage/process/testing";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  select,
} from "../../import/testing/import.ts";
import { deterministicBucketId, deterministicUploadId } from "../../model/deterministic-ids.ts";
import { openReport } from "../../sources/inventory/list-report.ts";
import {
  csvFile,
  makeManifest,
  parquetFile,
  type SampleRow,
} from "../../sources/inventory/testing/make-report.ts";
import { startFaultyProxy } from "../../sources/testing/faulty-proxy.ts";
import { type BucketContent, createBucket } from "../../sources/testing/store-content.ts";
import { runProgram } from "../testing/program.ts";

describe("importing from an S3 store", { skip: cephIsMissing }, () => {
  let server: CephServer;
  let database: TestDatabase;
  let content: BucketContent;
  let reports: BucketContent;
  before(async () => {
    [server, database] = await Promise.all([startCeph(), createUploadsDatabase()]);
    content = await createBucket(server, "content");
    reports = await createBucket(server, "reports");
    await content.put("in/a.jpg", "12345", { tags: "colour=red" });
    await content.put("in//b/../c%2E", "1");
    await content.put("in/folder/", "");
    await content.put("in/full/", "1");
    await content.put(`in/${"/".repeat(513)}`, "1");
    await content.put("inside", "1");
  });
  after(async () => {
    await server?.stop();
    await database?.drop();
  });

  function importS3(address: string, hostname: string, ...options: string[]) {
    const target = ["--bucket", hostname, "--organisation", hostname];
    const store = ["--endpoint", server.endpoint, "--path-style"];
    const environment = server.environment;
    const { databaseUrl } = database;
    return runProgram(["s3", address, ...target, ...store, ...options], {
      databaseUrl,
      environment,
    });
  }

  function uploadsOf(hostname: string, columns: string) {
    const text = `select ${columns} from uploads.uploads join uploads.buckets using (bucket_number)
      where hostname = $1 order by path, filename`;
    return select(database.databaseUrl, text, [hostname]);
  }

  it("makes uploads and folders under the mount folder, and says what it leaves out", async () => {
    const options = ["--mount", "/m", "--tags"];
    const { exitCode, output, errors } = await importS3("s3://content/in", "a.test", ...options);
    assert.match(output, /^imported 3 uploads and 7 folders into a\.test .*; 1 entry could not be/);
    assert.equal(
      errors,
      `in/${"/".repeat(513)}: its path has 514 segments; need at most 512\n` +
        "stowage: Cannot import all of s3://content/in: 1 entry left out\n",
    );
    assert.equal(exitCode, 1);
    const columns = "upload_id, path, filename, external_path, size_bytes, tags";
    const id = (path: string, filename: string) =>
      deterministicUploadId(deterministicBucketId("a.test"), path, filename);
    assert.deepEqual(
      (await uploadsOf("a.test", columns)).map((row) => Object.values(row)),
      [
        [id("/m", "a.jpg"), "/m", "a.jpg", "in/a.jpg", "5", ["colour=red"]],
        [id("/m/%/b/%2E%2E", "c%252E"), ...["/m/%/b/%2E%2E", "c%252E", "in//b/../c%2E", "1", null]],
        [id("/m/full", "%"), "/m/full", "%", "in/full/", "1", null],
      ],
    );
    const [times] = await uploadsOf("a.test", "created_at = updated_at as equal, intent_metadata");
    assert.equal(times?.equal, true);
    assert.deepEqual(times?.intent_metadata, {
      s3: { etag: '"827ccb0eea8a706c4c34a16891f84e7b"', storageClass: "STANDARD" },
    });
  });

  it("changes only what the store knows, and nothing if nothing changed", async () => {
    const small = await createBucket(server, "small");
    await small.put("a", "1");
    await importS3("s3://small", "b.test");
    const bucketId = deterministicBucketId("b.test");
    const [first] = await uploadsOf("b.test", "created_at");
    const own = { path: "/", filename: "a", sizeBytes: 1, tags: ["mine"], slug: "own" };
    await importLines(database.databaseUrl, [
      bucketLine(bucketId, { hostname: "b.test", organisationId: "b.test", primary: true }),
      { upload: { ...own, intentMetadata: { other: { x: 1 } } } },
    ]);
    await small.put("a", "22");
    assert.match((await importS3("s3://small", "b.test")).output, /: 0 new, 1 changed, 1 unch/);
    const columns = "slug, tags, size_bytes, intent_metadata->'other' as other, created_at";
    assert.deepEqual(await uploadsOf("b.test", columns), [
      { slug: "own", tags: ["mine"], size_bytes: "2", other: { x: 1 }, ...first },
    ]);
    assert.match((await importS3("s3://small", "b.test")).output, /: 0 new, 0 changed, 2 unch/);
  });

  const modifiedAt = new Date("2026-11-19T12:00:00.123Z");
  const rows: readonly SampleRow[] = [
    { key: "in/z z+é", versionId: "v1", sizeBytes: 3, modifiedAt, etag: "abc" },
    { key: "in/a", versionId: "old", isLatest: false, sizeBytes: 1, modifiedAt, etag: "x" },
    { key: "in/gone", isDeleteMarker: true, modifiedAt },
    { key: "other/a", sizeBytes: 1, modifiedAt, etag: "y" },
    ...Array.from({ length: 20 }, (_, index) => {
      return { key: `in/n/${index}`, sizeBytes: index, modifiedAt, etag: "n" };
    }),
  ];

  async function putReport(format: "CSV" | "Parquet", folder: string, changes = {}) {
    return await putFiles(
      folder,
      format,
      format === "CSV"
        ? [csvFile("content", rows.slice(0, 10)), csvFile("content", rows.slice(10))]
        : [parquetFile("content", rows)],
      changes,
    );
  }

  async function putFiles(
    folder: string,
    format: "CSV" | "Parquet",
    contents: readonly Buffer[],
    changes = {},
  ) {
    const files = contents.map((file, index) => ({ key: `${folder}/${index}`, content: file }));
    for (const file of files) await reports.put(file.key, file.content);
    const { manifest, checksum } = makeManifest("content", format, files, changes);
    await reports.put(`${folder}/manifest.json`, manifest);
    await reports.put(`${folder}/manifest.checksum`, checksum);
    return `s3://reports/${folder}/manifest.json`;
  }

  const { signal } = new AbortController();

  function openReportAt(address: string, options: Partial<Parameters<typeof openReport>[0]> = {}) {
    Object.assign(process.env, server.environment);
    const [bucket = "", ...path] = address.slice("s3://".length).split("/");
    const location = { bucket: "content", endpoint: server.endpoint, pathStyle: true };
    const manifest = { bucket, key: path.join("/") };
    return openReport({ location, prefix: "", manifest, ...options }, signal);
  }

  for (const format of ["CSV", "Parquet"] as const) {
    it(`lists by an Inventory report of ${format}`, async () => {
      const hostname = `${format.toLowerCase()}.test`;
      const manifest = await putReport(format, format);
      const outcome = await importS3("s3://content/in/", hostname, "--inventory", manifest);
      assert.equal(outcome.errors, "");
      const columns = "path, filename, size_bytes, updated_at, intent_metadata->'s3' as s3";
      const uploads = await uploadsOf(hostname, columns);
      assert.equal(uploads.length, 21);
      assert.deepEqual(uploads[0], {
        path: "/",
        filename: "z z+é",
        size_bytes: "3",
        updated_at: modifiedAt,
        s3: { etag: '"abc"', storageClass: "STANDARD", versionId: "v1" },
      });
    });
  }

  it("refuses a report that is older than the last run", async () => {
    const address = await putReport("CSV", "again");
    const { madeAt } = await openReportAt(address);
    assert.equal(madeAt.toISOString(), "2026-11-20T00:00:00.000Z");
    await openReportAt(address, { listedAt: madeAt });
    await assert.rejects(openReportAt(address, { listedAt: new Date(madeAt.getTime() + 1) }), {
      message:
        /is of 2026-11-20T00:00:00Z, older than what the last complete run found, of 2026-11/,
    });
  });

  it("leaves no files when it is killed: those of the report have no names", async () => {
    const folder = await makeTemporaryFolder();
    process.env.TMPDIR = folder.path;
    try {
      for (const format of ["CSV", "Parquet"] as const) {
        const { lister } = await openReportAt(await putReport(format, format));
        const [range] = lister.ranges([]);
        assert.ok(range);
        for await (const _ of lister.list(range, signal)) {
          assert.deepEqual(await readdir(folder.path), []);
        }
      }
    } finally {
      delete process.env.TMPDIR;
      await folder.remove();
    }
  });

  it("refuses a report without the IDs of versions for a source that has them", async () => {
    const fileSchema = "Bucket, Key, Size, LastModifiedDate, ETag, StorageClass";
    const file = gzipSync(`"content","in/a","1","${modifiedAt.toISOString()}","x","STANDARD"\n`);
    const manifest = await putFiles("current", "CSV", [file], { fileSchema });
    const { lister } = await openReportAt(manifest, { versions: true });
    const listed = lister.list(lister.ranges([])[0]!, signal);
    await assert.rejects(Array.fromAsync(listed), /^StoreError: --versions needs the IDs of vers/);
  });

  const row = { key: "in/a", sizeBytes: 1, modifiedAt, etag: "x" };
  const noSize = "it has a row without a size or a time";
  const wrongRows: [what: string, bucket: string, row: SampleRow, reason: string][] = [
    ["of another bucket", "other", row, "it has a row of the bucket other; need content"],
    ["without a key", "content", { ...row, key: "" }, "it has a row without a key"],
    ["without a size", "content", { ...row, sizeBytes: undefined }, noSize],
    ["of a negative size", "content", { ...row, sizeBytes: -1 }, noSize],
  ];
  for (const [what, bucket, wrong, reason] of wrongRows) {
    it(`refuses a report with a row ${what}, and names its file`, async () => {
      for (const format of ["CSV", "Parquet"] as const) {
        const file = (format === "CSV" ? csvFile : parquetFile)(bucket, [row, wrong]);
        const manifest = await putFiles("wrong", format, [file]);
        const refused = await importS3("s3://content", "w.test", "--inventory", manifest);
        const cause = `the Inventory report's file wrong/0 cannot be read: ${reason}\n`;
        assert.equal(refused.errors, `stowage: Cannot import s3://content: ${cause}`);
      }
      assert.deepEqual(await uploadsOf("w.test", "path"), []);
    });
  }

  it("refuses a report with a damaged file, or without one, and keeps nothing of it", async () => {
    const manifest = await putReport("CSV", "damaged");
    await reports.put("damaged/1", csvFile("content", rows.slice(11)));
    const damaged = await importS3("s3://content", "d.test", "--inventory", manifest);
    assert.match(damaged.errors, /damaged\/1 does not have the checksum of the manifest: wait for/);
    await reports.remove("damaged/1");
    const missing = await importS3("s3://content", "d.test", "--inventory", manifest);
    assert.match(missing.errors, /does not have this object: check its key\n$/);
    const nowhere = "s3://reports/nowhere/manifest.json";
    const none = await importS3("s3://content", "d.test", "--inventory", nowhere);
    assert.match(none.errors, /there is no s3:\/\/reports\/nowhere\/manifest.json: check the add/);
    assert.deepEqual(await uploadsOf("d.test", "path"), []);
  });

  it("says why a file of a report could not be fetched", async () => {
    const proxy = await startFaultyProxy(server.endpoint);
    try {
      const manifest = await putReport("CSV", "broken");
      proxy.damage((_, path) => (path.includes("broken/1") ? "cut" : undefined));
      const options = ["--inventory", manifest, "--endpoint", proxy.endpoint];
      const broken = await importS3("s3://content", "broken.test", ...options);
      assert.match(broken.errors, /report's file broken\/1 cannot be read: aborted/);
    } finally {
      await proxy.stop();
    }
  });

  it("tells what to do about a wrong address, with exit code 1 or 2", async () => {
    const wrong = await importS3("https://content", "e.test");
    assert.match(
      wrong.errors,
      /'https:\/\/content' is invalid.* Need s3:\/\/BUCKET or s3:\/\/BUCKET\/P/,
    );
    assert.equal(wrong.exitCode, 2);
    const missing = await importS3("s3://missing", "e.test");
    assert.match(
      missing.errors,
      /^stowage: Cannot import s3:\/\/missing: there is no bucket missing/,
    );
    assert.equal(missing.exitCode, 1);
  });
});
