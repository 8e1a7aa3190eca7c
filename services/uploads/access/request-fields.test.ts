import assert from "node:assert/strict";
import { it } from "node:test";
import { create } from "@bufbuild/protobuf";
import { BucketRefSchema } from "@stowage/api/svc/api/v1/references_pb";
import { readBucketRef } from "./request-fields.ts";

it("a reference to a bucket has one form, whatever the case of its letters", () => {
  const id = "0b5c1d9e-3a58-4a5e-9c0e-0000000000aa";
  const references = [
    { case: "hostname", value: "Photos.EXAMPLE.com" },
    { case: "bucketId", value: id.toUpperCase() },
  ] as const;
  const names = references.map((reference) =>
    readBucketRef(create(BucketRefSchema, { reference })),
  );
  assert.deepEqual(names, [{ hostname: "photos.example.com" }, { bucketId: id }]);
});
