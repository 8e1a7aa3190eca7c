import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  deterministicAliasId,
  deterministicFolderId,
  deterministicUploadId,
} from "../../model/deterministic-ids.ts";
import { bucketId, many, readLine, smallUpload } from "../testing/read-record.ts";

const otherId = "9E2B1C7A-0000-4000-8000-00000000000A";

describe("a correct line", () => {
  function uploadOf(members: object) {
    const record = readLine({ upload: { ...smallUpload, ...members } });
    assert.ok(record.kind === "upload");
    return record.upload;
  }
  function folderOf(members: object) {
    const record = readLine({ folder: { path: "/a", ...members } });
    assert.ok(record.kind === "folder");
    return record.folder;
  }

  it("may be at every limit", () => {
    const limits = {
      uploadId: "i".repeat(128),
      path: `/${"p".repeat(1023)}`,
      filename: "é".repeat(512),
      slug: "s".repeat(1024),
      sizeBytes: Number.MAX_SAFE_INTEGER,
      tags: many(256).map((tag) => tag.padEnd(256, "t")),
      metaUploads: many(256).map(() => ({})),
      aliases: many(256).map((slug) => ({ slug })),
    };
    const { sizeBytes, filename } = uploadOf(limits);
    assert.equal(sizeBytes, 2n ** 53n - 1n);
    assert.equal(filename, limits.filename);
  });

  it("may have more than 1 MiB if it is exported with no more than the limit", () => {
    const generatedDescription = "d".repeat(5_170_000);
    assert.equal(uploadOf({ generatedDescription }).generatedDescription, generatedDescription);
  });

  it("has its path in normal form", () => {
    assert.equal(uploadOf({ path: "a/b/" }).path, "/a/b");
    assert.equal(uploadOf({ path: "" }).path, "/");
    assert.equal(folderOf({ path: "a/", parentPath: "" }).path, "/a");
    assert.equal(folderOf({ path: "/a/b", parentPath: "a/" }).path, "/a/b");
  });

  it("gets deterministic IDs if they are left out", () => {
    assert.equal(uploadOf({ path: "a/" }).uploadId, deterministicUploadId(bucketId, "/a", "b.txt"));
    assert.equal(
      uploadOf({ uploadId: "" }).uploadId,
      deterministicUploadId(bucketId, "/a", "b.txt"),
    );
    assert.equal(folderOf({ path: "a" }).folderId, deterministicFolderId(bucketId, "/a"));
    const [alias] = uploadOf({ uploadId: "1", aliases: [{ path: "l/", slug: "s" }] }).aliases;
    assert.equal(alias?.aliasId, deterministicAliasId(bucketId, "1", { path: "/l", slug: "s" }));
    assert.equal(alias?.uploadId, "1");
    assert.equal(alias?.path, "/l");
  });

  it("keeps given IDs: UUIDs in lower case, other texts unchanged", () => {
    assert.equal(uploadOf({ uploadId: otherId }).uploadId, otherId);
    assert.equal(uploadOf({ integrationId: otherId }).integrationId, otherId.toLowerCase());
    const folder = folderOf({
      folderId: otherId,
      scopingIntegrationId: otherId,
      virtualFileIntegrationId: otherId,
      virtualFileRootUploadId: otherId,
    });
    assert.equal(folder.folderId, otherId.toLowerCase());
    assert.equal(folder.scopingIntegrationId, otherId.toLowerCase());
    assert.equal(folder.virtualFileIntegrationId, otherId.toLowerCase());
    assert.equal(folder.virtualFileRootUploadId, otherId.toLowerCase());
  });

  it("has the filename as slug if the slug is left out or empty", () => {
    assert.equal(uploadOf({}).slug, "b.txt");
    assert.equal(uploadOf({ slug: "" }).slug, "b.txt");
    assert.equal(uploadOf({ slug: "c" }).slug, "c");
  });

  it("has the times of its aliases truncated to microseconds", () => {
    const time = "1969-12-31T23:59:59.123456999Z";
    const [alias] = uploadOf({ aliases: [{ createdAt: time, expiresAt: time }] }).aliases;
    assert.equal(alias?.createdAt?.nanos, 123_456_000);
    assert.equal(alias?.expiresAt?.nanos, 123_456_000);
    assert.equal(alias?.expiresAt?.seconds, -1n);
  });

  it("has a bucket's host name in lower case", () => {
    const bucket = { bucketId, hostname: "a.example.com", organisationId: "org" };
    assert.deepEqual(
      readLine({ bucket: { ...bucket, hostname: "A.Example.com", primary: true } }),
      { kind: "bucket", line: 7, ...bucket, isPrimary: true },
    );
  });
});
