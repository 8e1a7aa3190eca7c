import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { FoundFolderSchema } from "@stowage/api/stowage/v1/folders_service_pb";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { listLines } from "./list-lines.ts";

const upload = create(UploadSchema, {
  uploadId: "u1",
  filename: "a\u001b[2Jb.pdf",
  path: "/docs/é",
  sizeBytes: 9_007_199_254_740_991n,
  createdAt: timestampFromDate(new Date("2026-01-02T03:04:05.678Z")),
  updatedAt: timestampFromDate(new Date("2026-11-21T12:00:00Z")),
});

const folder = create(FoundFolderSchema, {
  folder: { path: "/docs/\u0007" },
  rollup: { uploadCount: 1n, subtreeUploadCount: 3n, subtreeSizeBytes: 2048n },
});

const forPeople = listLines({ json: undefined, time: "createdAt" });
const asJson = listLines({ json: true, time: "createdAt" });

describe("listLines()", () => {
  it("shows size, time and whole path of a file, with control characters made visible", () => {
    const line = "  8.0 PiB  2026-01-02T03:04:05Z  /docs/é/a\\u{1b}[2Jb.pdf\n";
    assert.equal(forPeople.ofFile(upload), line);
  });

  it("shows a folder with the size of all in it, without a time, and with a slash", () => {
    const line = "  2.0 KiB  -                     /docs/\\u{7}/\n";
    assert.equal(forPeople.ofFolder(folder), line);
  });

  it("shows a tab and a backslash in a name differently", () => {
    const [tab, backslash] = ["a\tb", "a\\tb"].map((filename) =>
      forPeople.ofFile(create(UploadSchema, { filename, path: "/" })),
    );
    assert.match(tab ?? "", /\/a\\tb\n$/);
    assert.match(backslash ?? "", /\/a\\\\tb\n$/);
  });

  it("shows the time of the last change if requested", () => {
    const lines = listLines({ json: undefined, time: "updatedAt" });
    assert.match(lines.ofFile(upload), /2026-11-21T12:00:00Z/);
  });

  it("writes one slash before a file of the root, and a dash for a time that is missing", () => {
    const bare = create(UploadSchema, { filename: "f", path: "/" });
    assert.equal(forPeople.ofFile(bare), "      0 B  -                     /f\n");
  });

  it("writes the contract's JSON, one object a line", () => {
    const line = asJson.ofFile(upload);
    assert.match(line, /^.*\n$/);
    const json = JSON.parse(line);
    assert.equal(json.sizeBytes, 9_007_199_254_740_991);
    assert.equal(json.createdAt, "2026-01-02T03:04:05.678Z");
    assert.equal(json.filename, "a\u001b[2Jb.pdf");
    assert.deepEqual(json.tags, []);
    const found = JSON.parse(asJson.ofFolder(folder));
    assert.equal(found.folder.path, "/docs/\u0007");
    assert.equal(found.rollup.subtreeSizeBytes, 2048);
  });
});
