import assert from "node:assert/strict";
import { it } from "node:test";
import { parseManifestAddress, parseS3Folder } from "./store-location.ts";

for (const text of ["reports", "s3://", "s3://reports", "s3://reports/manifest.checksum"]) {
  it(`an Inventory report is not named by ${text}`, () => {
    assert.throws(() => parseManifestAddress(text), {
      message: "Need s3://BUCKET/…/manifest.json.",
    });
  });
}

it("a folder of a store is named by its bucket and prefix", () => {
  assert.deepEqual(parseS3Folder("s3://photos/2026"), { bucket: "photos", prefix: "2026/" });
  assert.throws(() => parseS3Folder("photos"), {
    message: "Need s3://BUCKET or s3://BUCKET/PREFIX.",
  });
});
