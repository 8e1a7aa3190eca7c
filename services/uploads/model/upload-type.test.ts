import assert from "node:assert/strict";
import { it } from "node:test";
import { UploadType } from "@stowage/api/svc/api/v1/upload_pb";
import { uploadTypeOf } from "./upload-type.ts";

const cases: readonly (readonly [filename: string, type: UploadType])[] = [
  ["a.jpg", UploadType.IMAGE],
  ["A.JPEG", UploadType.IMAGE],
  ["clip.mp4", UploadType.VIDEO],
  ["song.flac", UploadType.AUDIO],
  ["report.final.pdf", UploadType.DOCUMENT],
  ["backup.tar.gz", UploadType.ARCHIVE],
  ["main.ts", UploadType.TEXT],
  ["index.d.mts", UploadType.TEXT],
  ["README.md", UploadType.TEXT],
  ["server.bin", UploadType.OTHER],
  ["Makefile", UploadType.OTHER],
  [".png", UploadType.OTHER],
  ["trailing.", UploadType.OTHER],
  ["constructor", UploadType.OTHER],
  ["a.constructor", UploadType.OTHER],
  ["a.\u0130", UploadType.OTHER],
];

for (const [filename, type] of cases) {
  it(`tells the type of ${JSON.stringify(filename)}`, () => {
    assert.equal(uploadTypeOf(filename), type);
  });
}
