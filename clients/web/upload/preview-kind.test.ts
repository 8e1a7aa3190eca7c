import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UploadType } from "@stowage/api/svc/api/v1/upload_pb";
import { imageBytesMax, previewKindOf } from "./preview-kind.ts";

const kindOf = (filename: string, type: UploadType = UploadType.UNSPECIFIED, sizeBytes = 1n) =>
  previewKindOf({ filename, type, sizeBytes });

describe("the preview", () => {
  it("goes by the extension, in any case", () => {
    assert.equal(kindOf("quay.JPG"), "image");
    assert.equal(kindOf("a.b.ogg"), "audio");
    assert.equal(kindOf("a.flac"), "audio");
    assert.equal(kindOf("tour.webm"), "video");
    assert.equal(kindOf("report.pdf"), "pdf");
    assert.equal(kindOf("notes.md"), "text");
    assert.equal(kindOf("log"), "text");
  });

  it("does not exist for what the service does not show in place", () => {
    for (const name of ["index.html", "logo.svg", "data.zip", "Makefile", "constructor", "a."]) {
      assert.equal(kindOf(name), undefined, name);
    }
    assert.equal(kindOf("logo.svg", UploadType.IMAGE), undefined);
  });

  it("shows what the index knows as text", () => {
    assert.equal(kindOf("main.rs", UploadType.TEXT), "text");
    assert.equal(kindOf("README", UploadType.TEXT), "text");
  });

  it("does not load very large pictures", () => {
    const size = BigInt(imageBytesMax);
    assert.equal(kindOf("map.png", UploadType.IMAGE, size), "image");
    assert.equal(kindOf("map.png", UploadType.IMAGE, size + 1n), undefined);
  });
});
