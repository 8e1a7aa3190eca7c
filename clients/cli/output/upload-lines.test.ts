import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { uploadWriter } from "./upload-lines.ts";

const upload = create(UploadSchema, {
  uploadId: "u1",
  filename: "a\u001b[2Jb.pdf",
  path: "/docs/é",
  sizeBytes: 9_007_199_254_740_991n,
  createdAt: timestampFromDate(new Date("2026-01-02T03:04:05.678Z")),
  updatedAt: timestampFromDate(new Date("2026-11-21T12:00:00Z")),
});

describe("uploadWriter()", () => {
  it("writes size, time and whole path, with control characters made visible", () => {
    const write = uploadWriter({ json: undefined, time: "createdAt" });
    assert.equal(write([upload]), "  8.0 PiB  2026-01-02T03:04:05Z  /docs/é/a\\u{1b}[2Jb.pdf\n");
  });

  it("shows a tab and a backslash in a name differently", () => {
    const write = uploadWriter({ json: undefined, time: "createdAt" });
    const names = ["a\tb", "a\\tb"].map((filename) =>
      create(UploadSchema, { filename, path: "/" }),
    );
    assert.match(write(names), /\/a\\tb\n.*\/a\\\\tb\n$/);
  });

  it("shows the time of the last change if requested", () => {
    const write = uploadWriter({ json: undefined, time: "updatedAt" });
    assert.match(write([upload]), /2026-11-21T12:00:00Z/);
  });

  it("writes one slash before an upload of the root, and a dash for a time that is missing", () => {
    const write = uploadWriter({ json: undefined, time: "createdAt" });
    const bare = create(UploadSchema, { filename: "f", path: "/" });
    assert.equal(write([bare]), "      0 B  -                     /f\n");
  });

  it("writes the contract's JSON, one object a line", () => {
    const lines = uploadWriter({ json: true, time: "createdAt" })([upload, upload]).split("\n");
    assert.equal(lines.length, 3);
    const json = JSON.parse(lines[0] ?? "");
    assert.equal(json.sizeBytes, 9_007_199_254_740_991);
    assert.equal(json.createdAt, "2026-01-02T03:04:05.678Z");
    assert.equal(json.filename, "a\u001b[2Jb.pdf");
    assert.deepEqual(json.tags, []);
  });

  it("writes nothing for a page without uploads", () => {
    assert.equal(uploadWriter({ json: true, time: "createdAt" })([]), "");
  });
});
