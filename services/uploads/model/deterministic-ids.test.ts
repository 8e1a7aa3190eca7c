import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { v5 } from "uuid";
import {
  deterministicAliasId,
  deterministicBucketId,
  deterministicFolderId,
  deterministicUploadId,
} from "./deterministic-ids.ts";

const bucketId = "3f0f6c1e-58b3-4a6e-9d57-2f1f5f3a7c11";

describe("an ID that is made", () => {
  it("is the same in every version: indexes keep it for ever", () => {
    assert.equal(deterministicFolderId(bucketId, "/"), "a4620319-79f2-5f95-9fa0-366ece19e079");
    assert.equal(deterministicFolderId(bucketId, "/a/b"), "c42f0a51-c059-5c85-811a-5acdaf80931b");
    assert.equal(
      deterministicUploadId(bucketId, "/a/b", "c.jpg"),
      "ce3453d2-d29f-546d-bf7c-7cb85c512dd8",
    );
    assert.equal(
      deterministicUploadId(bucketId, "/", "c.jpg"),
      "85274ca0-86ac-5e83-9e8e-0875b7661433",
    );
    assert.equal(
      deterministicAliasId(bucketId, "1", { path: "/a", slug: "b" }),
      "cc4d152e-8281-52a8-8f5b-4986b259e0a4",
    );
    assert.equal(
      deterministicBucketId("photos.example.com"),
      "59f5d4ba-dba7-578f-98c5-1c340114ae41",
    );
  });

  it("is a UUID of version 5", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: "binary" }), (namespace, name) => {
        assert.equal(deterministicFolderId(namespace, name), v5(`folder ${name}`, namespace));
      }),
    );
  });

  it("differs by bucket, kind, path and name", () => {
    const ids = [
      deterministicFolderId(bucketId, "/a"),
      deterministicFolderId(deterministicBucketId("other"), "/a"),
      deterministicFolderId(bucketId, "/a/b"),
      deterministicUploadId(bucketId, "/a", "b"),
      deterministicUploadId(bucketId, "/", "a"),
      deterministicAliasId(bucketId, "1", { path: "/a", slug: "b" }),
      deterministicAliasId(bucketId, "1", { path: "/", slug: "a/b" }),
      deterministicAliasId(bucketId, "1/", { path: "a", slug: "b" }),
    ];
    assert.equal(new Set(ids).size, ids.length);
  });
});
