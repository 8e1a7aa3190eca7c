import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UploadType } from "@stowage/api/svc/api/v1/upload_pb";
import { deterministicUploadId } from "../model/deterministic-ids.ts";
import { isoOfMicros, microsAtOrBefore } from "../model/timestamps.ts";
import { recordOfObject } from "./listed-object.ts";

const bucketId = "3f0f6c1e-58b3-4a6e-9d57-2f1f5f3a7c11";
const source = { bucketId, prefix: "in/", mountPath: "/m" };
const updatedAtMicros = 1_700_000_000_000_001n;

describe("the record of an object", () => {
  it("is an upload with the ID of its path, the raw key and the values of the store", () => {
    const s3 = { etag: '"e"', storageClass: "STANDARD", versionId: "v" };
    const object = { key: "in/a//b.PDF", sizeBytes: 7, createdAtMicros: undefined, s3 };
    const record = recordOfObject({ ...object, updatedAtMicros, tags: ["k=v"] }, source, 3);
    assert.ok(record.kind === "upload");
    const { line, upload } = record;
    assert.equal(line, 3);
    assert.equal(upload.uploadId, deterministicUploadId(bucketId, "/m/a/%", "b.PDF"));
    const { path, filename, slug, externalPath } = upload;
    assert.deepEqual([path, filename, slug], ["/m/a/%", "b.PDF", "b.PDF"]);
    assert.equal(externalPath, "in/a//b.PDF");
    assert.deepEqual(
      [upload.sizeBytes, upload.type, upload.tags],
      [7n, UploadType.DOCUMENT, ["k=v"]],
    );
    assert.deepEqual(upload.intentMetadata, { s3 });
    assert.equal(upload.createdAt, undefined);
    assert.ok(upload.updatedAt);
    assert.equal(isoOfMicros(microsAtOrBefore(upload.updatedAt)), "2023-11-14T22:13:20.000001Z");
  });

  it("is a folder if the object is empty and its key ends with /", () => {
    const object = { key: "in/a/", sizeBytes: 0, createdAtMicros: 0n, updatedAtMicros };
    assert.deepEqual(recordOfObject(object, source, 1), {
      kind: "folder path",
      bucketId,
      path: "/m/a",
    });
  });

  it("is refused for a size that the index cannot hold", () => {
    const object = { key: "in/a", sizeBytes: 2 ** 53, createdAtMicros: 0n, updatedAtMicros };
    assert.throws(() => recordOfObject(object, source, 1), {
      name: "KeyError",
      message: "it is over 2^53-1 bytes",
    });
  });
});
