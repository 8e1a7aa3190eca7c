import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import { deterministicFolderId, deterministicUploadId } from "../../model/deterministic-ids.ts";
import {
  bucketLine,
  colour,
  createUploadsDatabase,
  folderPath,
  importLines,
  isOfBucket,
  readTables,
  select,
} from "../testing/import.ts";

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

let bucketCount = 0;
/** Each test has a bucket of its own. */
function newBucketId(): string {
  bucketCount += 1;
  return `00000000-0000-4000-8000-${String(bucketCount).padStart(12, "0")}`;
}

function load(...lines: unknown[]) {
  return importLines(database.databaseUrl, lines);
}

function uploadsOf(bucketId: string, columns: string) {
  const text = `select ${columns} from uploads.uploads where ${isOfBucket} order by upload_id`;
  return select(database.databaseUrl, text, [bucketId]);
}

function foldersOf(bucketId: string, columns = `folder_id, path, ${colour}`) {
  const selected = columns.replace(/\bpath\b/, folderPath);
  const text = `select ${selected} from uploads.folders where ${isOfBucket} order by tree_key`;
  return select(database.databaseUrl, text, [bucketId]);
}

const upload = (uploadId: string, members: object = {}) => ({
  upload: { uploadId, path: "/a", filename: `${uploadId}.txt`, sizeBytes: 1, ...members },
});

describe("an upload with a known ID", () => {
  it("replaces the existing upload as a whole", async () => {
    const bucketId = newBucketId();
    const known = upload("1", { tags: ["old"], author: { userId: 1 }, sizeBytes: 2, order: 3 });
    await load(bucketLine(bucketId), known);
    const { result } = await load(bucketLine(bucketId), upload("1", { path: "/b" }));
    assert.deepEqual(result?.uploads, { new: 0, changed: 1, unchanged: 0 });
    const columns = 'path, tags, details, size_bytes, "order"';
    assert.deepEqual(await uploadsOf(bucketId, columns), [
      {
        path: "/b",
        tags: null,
        details: null,
        size_bytes: "1",
        order: 0,
      },
    ]);
  });

  it("replaces an earlier line of the same file", async () => {
    const bucketId = newBucketId();
    const lines = [upload("1", { path: "/x" }), upload("2"), upload("1", { path: "/y" })];
    const { result } = await load(bucketLine(bucketId), ...lines);
    assert.deepEqual(result?.uploads, { new: 2, changed: 0, unchanged: 0 });
    assert.deepEqual(await uploadsOf(bucketId, "upload_id, path"), [
      { upload_id: "1", path: "/y" },
      { upload_id: "2", path: "/a" },
    ]);
    assert.deepEqual(
      (await foldersOf(bucketId)).map(({ path }) => path),
      ["/", "/a", "/y"],
    );
  });

  it("is another upload in another bucket", async () => {
    const [first, second] = [newBucketId(), newBucketId()];
    await load(bucketLine(first), upload("1"), bucketLine(second), upload("1", { sizeBytes: 9 }));
    assert.deepEqual(await uploadsOf(first, "size_bytes"), [{ size_bytes: "1" }]);
    assert.deepEqual(await uploadsOf(second, "size_bytes"), [{ size_bytes: "9" }]);
  });
});

describe("importing the same file again", () => {
  it("writes nothing, and reports so", async () => {
    const bucketId = newBucketId();
    const integrationId = newBucketId();
    const lines = [
      bucketLine(bucketId, { primary: true, organisationId: "again" }),
      { integration: { integrationId, name: "Scanner" } },
      { folder: { path: "/a", colour: "red", scopingIntegrationId: integrationId } },
      { folder: { folderId: newBucketId(), path: "/c/d" } },
      upload("1", { integrationId, tags: ["b", "a"], intentMetadata: { k: { a: [1.5, null] } } }),
      upload("2", { aliases: [{ slug: "s", createdAt: "2026-01-01T00:00:00.123456789Z" }] }),
      { upload: { path: "/e", filename: "without ID and times", sizeBytes: 0 } },
    ];
    await load(...lines);
    const before = await readTables(database.databaseUrl);
    const { result } = await load(...lines);
    assert.deepEqual(await readTables(database.databaseUrl), before);
    const { buckets, integrations, folders, uploads } = result ?? {};
    assert.deepEqual(buckets, { new: 0, changed: 0, unchanged: 1 });
    assert.deepEqual(integrations, { new: 0, changed: 0, unchanged: 1 });
    assert.deepEqual(folders, { new: 0, changed: 0, unchanged: 5 });
    assert.deepEqual(uploads, { new: 0, changed: 0, unchanged: 3 });
  });
});

describe("an upload with omitted members", () => {
  it("gets the time of the import, the same for all lines", async () => {
    const bucketId = newBucketId();
    await load(
      bucketLine(bucketId),
      upload("1"),
      upload("2", { createdAt: "2001-01-01T00:00:00Z" }),
    );
    const rows = await uploadsOf(
      bucketId,
      "created_at::text, updated_at = max(updated_at) over () as same, " +
        "now() - updated_at between '0' and '1 minute' as recent, updated_at = created_at as equal",
    );
    assert.deepEqual(rows[0]?.equal, true);
    assert.deepEqual(rows[1]?.created_at, "2001-01-01 00:00:00+00");
    for (const row of rows) assert.deepEqual([row.same, row.recent], [true, true]);
  });

  it("keeps its createdAt if a later import changes the upload", async () => {
    const bucketId = newBucketId();
    await load(bucketLine(bucketId), upload("1"));
    const [first] = await uploadsOf(bucketId, "created_at::text, updated_at::text");
    await load(bucketLine(bucketId), upload("1", { sizeBytes: 2 }));
    const [second] = await uploadsOf(bucketId, "created_at::text, updated_at::text");
    assert.equal(second?.created_at, first?.created_at);
    assert.notEqual(second?.updated_at, first?.updated_at);
  });

  it("gets IDs from bucket, path and name", async () => {
    const bucketId = newBucketId();
    await load(bucketLine(bucketId), {
      upload: { path: "a/", filename: "b", sizeBytes: 0 },
    });
    const made = await uploadsOf(bucketId, "upload_id");
    assert.deepEqual(made, [{ upload_id: deterministicUploadId(bucketId, "/a", "b") }]);
    assert.deepEqual(await foldersOf(bucketId, "folder_id, path"), [
      { folder_id: deterministicFolderId(bucketId, "/"), path: "/" },
      { folder_id: deterministicFolderId(bucketId, "/a"), path: "/a" },
    ]);
  });

  it("stores times truncated to microseconds", async () => {
    const bucketId = newBucketId();
    const times = {
      createdAt: "1969-12-31T23:59:59.999999999Z",
      updatedAt: "0001-01-01T00:00:00.0000019Z",
    };
    await load(bucketLine(bucketId), upload("1", times));
    assert.deepEqual(await uploadsOf(bucketId, "created_at::text, updated_at::text"), [
      { created_at: "1969-12-31 23:59:59.999999+00", updated_at: "0001-01-01 00:00:00.000001+00" },
    ]);
  });
});

describe("the order of lines", () => {
  it("is free except for bucket lines: an integration may come last, or never", async () => {
    const bucketId = newBucketId();
    const [known, unknown] = [newBucketId(), newBucketId()];
    await load(
      bucketLine(bucketId),
      upload("1", {
        integrationId: known,
        integration: { integrationId: known, name: "embedded" },
      }),
      upload("2", { integrationId: unknown }),
      { folder: { path: "/a", colour: "red" } },
      { integration: { integrationId: known, name: "first" } },
      { integration: { integrationId: known, name: "last" } },
    );
    const text = `select integration_id, name from uploads.integrations where ${isOfBucket}`;
    assert.deepEqual(await select(database.databaseUrl, text, [bucketId]), [
      { integration_id: known, name: "last" },
    ]);
    const folders = await foldersOf(bucketId, `path, ${colour}`);
    assert.deepEqual(folders.at(-1), { path: "/a", colour: "red" });
  });
});

describe("a file that replaces all uploads of a bucket", () => {
  const replace = (bucketId: string, count: number, isConfirmed: boolean) =>
    importLines(database.databaseUrl, [bucketLine(bucketId), ...uploads.slice(0, count)], {
      merge: { deletesUnstaged: { isConfirmed } },
    });
  const uploads = ["1", "2", "3", "4"].map((id) => upload(id));

  it("may lack half of them", async () => {
    const bucketId = newBucketId();
    await load(bucketLine(bucketId), ...uploads);
    const { result } = await replace(bucketId, 2, false);
    assert.equal(result?.deleted.uploads, 2);
  });

  it("changes nothing if it lacks over half of them, until that is confirmed", async () => {
    const bucketId = newBucketId();
    await load(bucketLine(bucketId), ...uploads);
    await assert.rejects(
      replace(bucketId, 1, false),
      /^ReplacementError: .*: 3 of 4 uploads would be deleted, over half; nothing was changed\./,
    );
    assert.equal((await uploadsOf(bucketId, "upload_id")).length, 4);
    const { result } = await replace(bucketId, 1, true);
    assert.equal(result?.deleted.uploads, 3);
  });

  it("changes nothing if it has no upload of a bucket that has some", async () => {
    const bucketId = newBucketId();
    await load(bucketLine(bucketId), ...uploads);
    await assert.rejects(replace(bucketId, 0, false), /: 4 of 4 uploads would be deleted/);
  });

  for (const [things, line] of [
    ["folders with settings", { folder: { path: "/a", colour: "red" } }],
    ["integrations", { integration: { integrationId: newBucketId(), name: "Scanner" } }],
  ] as const) {
    it(`changes nothing if it lacks the ${things}, until that is confirmed`, async () => {
      const bucketId = newBucketId();
      await load(bucketLine(bucketId), line);
      const reason = new RegExp(`: 1 of 1 ${things} would be deleted, over half; nothing was`);
      await assert.rejects(replace(bucketId, 0, false), reason);
      const { result } = await replace(bucketId, 0, true);
      assert.equal((result?.deleted.folders ?? 0) + (result?.deleted.integrations ?? 0), 1);
    });
  }

  it("may move all folders with settings", async () => {
    const bucketId = newBucketId();
    const folder = { folderId: newBucketId(), colour: "red" };
    await load(bucketLine(bucketId), { folder: { ...folder, path: "/old" } });
    const lines = [bucketLine(bucketId), { folder: { ...folder, path: "/new" } }];
    await importLines(database.databaseUrl, lines, {
      merge: { deletesUnstaged: { isConfirmed: false } },
    });
    const paths = (await foldersOf(bucketId)).map(({ path }) => path);
    assert.deepEqual(paths, ["/", "/new"]);
  });

  it("keeps an integration that an upload of a source names", async () => {
    const [bucketId, integrationId] = [newBucketId(), newBucketId()];
    await load(
      bucketLine(bucketId),
      { integration: { integrationId } },
      upload("1", { integrationId }),
    );
    await giveToSource(bucketId);
    const { result } = await replace(bucketId, 0, false);
    assert.deepEqual(result?.deleted, { integrations: 0, folders: 0, uploads: 0 });
  });

  it("keeps an integration that it gives to an upload of a source", async () => {
    const [bucketId, integrationId] = [newBucketId(), newBucketId()];
    const others = [newBucketId(), newBucketId()];
    const integrations = [integrationId, ...others].map((id) => ({
      integration: { integrationId: id },
    }));
    await load(bucketLine(bucketId), ...integrations, upload("1"));
    await giveToSource(bucketId);
    const lines = [bucketLine(bucketId), ...integrations.slice(1), upload("1", { integrationId })];
    const { result } = await importLines(database.databaseUrl, lines, {
      merge: { deletesUnstaged: { isConfirmed: false } },
    });
    assert.deepEqual(result?.deleted, { integrations: 0, folders: 0, uploads: 0 });
  });
});

/** Makes all uploads and folders of the bucket those of a source. */
async function giveToSource(bucketId: string): Promise<void> {
  await select(
    database.databaseUrl,
    `with bucket as (select bucket_number from uploads.buckets where bucket_id = $1::uuid),
     source as (
       insert into uploads.sources (bucket_id, source_id, name, kind, location, mount_path)
       values ($1::uuid, gen_random_uuid(), $1::text, 'directory', '{}', '/')
       returning source_id),
     folders as (
       update uploads.folders f set source_id = s.source_id from source s
       where f.bucket_number = (select bucket_number from bucket))
     update uploads.uploads u set source_id = s.source_id from source s
     where u.bucket_number = (select bucket_number from bucket)`,
    [bucketId],
  );
}
