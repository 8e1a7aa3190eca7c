import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readManifest } from "./manifest.ts";
import { csvColumns, makeManifest } from "./testing/make-report.ts";

const file = { key: "reports/1.csv.gz", content: Buffer.from("content") };

function read(changes: Record<string, unknown> = {}, checksum?: string) {
  const made = makeManifest("pictures", "CSV", [file], changes);
  return readManifest(made.manifest, checksum ?? made.checksum, "pictures");
}

describe("the manifest of an Inventory report", () => {
  it("has the time, the format, the columns and the files", () => {
    const md5 = "9a0364b9e99bb480dd25e1f0284c8555";
    assert.deepEqual(read(), {
      bucket: "pictures",
      madeAt: new Date("2026-11-20T00:00:00Z"),
      format: "CSV",
      columns: csvColumns,
      files: [{ key: "reports/1.csv.gz", sizeBytes: 7, md5 }],
    });
  });

  const refused: [what: string, changes: Record<string, unknown>, message: RegExp][] = [
    ["of another bucket", { sourceBucket: "other" }, /is of the bucket other, not of pictures/],
    ["of ORC files", { fileFormat: "ORC" }, /files are ORC: configure a report of CSV or Parquet/],
    ["without a time", { creationTimestamp: "yesterday" }, /does not say when it was made/],
    ["with an empty time", { creationTimestamp: "" }, /does not say when it was made/],
    ["without a list of files", { files: null }, /has no list of files/],
    ["without files", { files: [] }, /has no files: list the bucket in place of it/],
    [
      "with a file without checksum",
      { files: [{ key: "a", size: 1 }] },
      /without key, size or MD5/,
    ],
    ["with nothing in place of a file", { files: [null] }, /without key, size or MD5/],
    [
      "with a file that is too large",
      { files: [{ key: "a", size: 2 ** 40, MD5checksum: "" }] },
      /a is 1099511627776 bytes; need at most 8589934592/,
    ],
    [
      "with too many files",
      { files: Array(50_001).fill(0) },
      /has 50001 files; need at most 50000/,
    ],
  ];
  for (const [what, changes, message] of refused) {
    it(`is refused ${what}`, () => {
      assert.throws(() => read(changes), { name: "StoreError", message });
    });
  }

  it("is refused if it is damaged", () => {
    assert.throws(() => read({}, "0".repeat(32)), { message: /does not have the checksum/ });
  });
});
