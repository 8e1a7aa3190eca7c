import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { contentVersionOf } from "./content-version.ts";

const version = (change: Exclude<MessageInitShape<typeof UploadSchema>, Message> = {}) =>
  contentVersionOf(
    create(UploadSchema, {
      sizeBytes: 5n,
      updatedAt: { seconds: 1n, nanos: 1000 },
      intentMetadata: { s3: { etag: '"a"', storageClass: "STANDARD" } },
      ...change,
    }),
  );

describe("the version of content", () => {
  it("changes with the size, the time of change, and the ETag", () => {
    const updatedAt = { seconds: 1n, nanos: 2000 };
    const intentMetadata = { s3: { etag: '"b"', storageClass: "STANDARD" } };
    const changes = [{ sizeBytes: 6n }, { updatedAt }, { intentMetadata }, { intentMetadata: {} }];
    assert.equal(new Set([version(), ...changes.map((change) => version(change))]).size, 5);
  });

  it("does not change with anything else", () => {
    const intentMetadata = { s3: { etag: '"a"', storageClass: "GLACIER" } };
    assert.equal(version({ tags: ["new"], filename: "new.txt", intentMetadata }), version());
  });
});
