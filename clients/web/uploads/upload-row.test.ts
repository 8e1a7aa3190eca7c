import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rowOf } from "./upload-row.ts";

describe("the row of an upload", () => {
  it("keeps what the list shows", () => {
    const upload = {
      uploadId: "u1",
      filename: "a.pdf",
      path: "/a",
      sizeBytes: "9007199254740991",
      type: "UPLOAD_TYPE_DOCUMENT",
      tags: ["x"],
      createdAt: "2026-11-23T00:00:00.123456Z",
      order: 7,
      slug: "not shown",
    };
    assert.deepEqual(rowOf(upload), {
      id: "u1",
      name: "a.pdf",
      path: "/a",
      sizeBytes: 2 ** 53 - 1,
      createdAtMs: Date.UTC(2026, 10, 23, 0, 0, 0, 123),
      updatedAtMs: undefined,
      order: 7,
      type: "document",
      tags: ["x"],
    });
  });

  it("takes what is left out for the default", () => {
    const upload = { uploadId: "u2", filename: "b", path: "/a", type: "UPLOAD_TYPE_UNSPECIFIED" };
    const { sizeBytes, createdAtMs, order, type, tags } = rowOf(upload);
    assert.deepEqual([sizeBytes, createdAtMs, order, type, tags], [0, undefined, 0, "", []]);
  });
});
