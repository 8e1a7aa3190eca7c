import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UploadType } from "@stowage/api/svc/api/v1/upload_pb";
import { deterministicUploadId } from "../model/deterministic-ids.ts";
import { mapObject } from "./map-object.ts";

const bucketId = "3f0f6c1e-58b3-4a6e-9d57-2f1f5f3a7c11";
const source = { bucketId, prefix: "in/", mountPath: "/m" };
const updatedAtMicros = 1_700_000_000_000_001n;

describe("an object", () => {
  it("is an upload with the ID of its path, the raw key and the values of the store", () => {
    const s3 = { etag: '"e"', storageClass: "STANDARD", versionId: "v" };
    const object = { key: "in/a//b.PDF", sizeBytes: 7, createdAtMicros: undefined, s3 };
    assert.deepEqual(mapObject({ ...object, updatedAtMicros, tags: ["k=v"] }, source, 3), {
      kind: "object",
      line: 3,
      bucketId,
      object: {
        uploadId: deterministicUploadId(bucketId, "/m/a/%", "b.PDF"),
        path: "/m/a/%",
        filename: "b.PDF",
        sizeBytes: 7n,
        type: UploadType.DOCUMENT,
        tags: ["k=v"],
        createdAtMicros: undefined,
        updatedAtMicros,
        intentMetadata: { s3 },
        externalPath: "in/a//b.PDF",
      },
    });
  });

  it("is a folder if the object is empty and its key ends with /", () => {
    const object = { key: "in/a/", sizeBytes: 0, createdAtMicros: 0n, updatedAtMicros };
    assert.deepEqual(mapObject(object, source, 1), {
      kind: "folder path",
      bucketId,
      path: "/m/a",
    });
  });

  it("is refused for a size that the index cannot hold", () => {
    const object = { key: "in/a", sizeBytes: 2 ** 53, createdAtMicros: 0n, updatedAtMicros };
    assert.throws(() => mapObject(object, source, 1), {
      name: "ValueError",
      message: "it is over 2^53-1 bytes",
    });
  });

  it("is refused for a time that the index cannot hold", () => {
    const map = (createdAtMicros: bigint, updatedAtMicros: bigint) =>
      mapObject({ key: "in/a", sizeBytes: 1, createdAtMicros, updatedAtMicros }, source, 1);
    const first = BigInt(Date.parse("0001-01-01T00:00:00Z")) * 1000n;
    const last = BigInt(Date.parse("9999-12-31T23:59:59.999Z")) * 1000n + 999n;
    map(first, last);
    const refused = { name: "ValueError", message: "its time is outside the years 1 to 9999" };
    assert.throws(() => map(first - 1n, last), refused);
    assert.throws(() => map(first, last + 1n), refused);
  });

  it("is refused for a time that does not exist", () => {
    const object = { key: "in/a", sizeBytes: 1, createdAtMicros: undefined };
    assert.throws(() => mapObject({ ...object, updatedAtMicros: undefined }, source, 1), {
      name: "ValueError",
      message: "its time does not exist, or is not written as ISO 8601 says",
    });
  });
});
