import assert from "node:assert/strict";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { makeTemporaryFolder, type TemporaryFolder } from "@stowage/process/testing";
import { csvRows } from "./csv-rows.ts";
import { csvColumns } from "./testing/make-report.ts";

const modifiedAt = "2026-11-19T12:00:00.123Z";
const line = '"b","a+%2B%00%FFc","v","true","false","5","2026-11-19T12:00:00.123Z","e","S"\n';

describe("the rows of a CSV file of an Inventory report", () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  async function read(text: string, columns: readonly string[] = csvColumns) {
    const path = join(folder.path, "report");
    await writeFile(path, gzipSync(text));
    await using file = await open(path);
    return await Array.fromAsync(csvRows(file, columns));
  }

  it("have decoded keys, which may be bytes", async () => {
    const key = Buffer.from("a +\0\xffc", "latin1");
    assert.deepEqual(await read(line), [
      {
        bucket: "b",
        key,
        versionId: "v",
        isLatest: true,
        isDeleteMarker: false,
        sizeBytes: 5,
        modifiedAt,
        etag: "e",
        storageClass: "S",
      },
    ]);
  });

  it("are refused without a column that is needed", async () => {
    const columns = ["Bucket", "Key", "VersionId", "LastModifiedDate", "ETag"];
    await assert.rejects(read(line, columns), {
      name: "StoreError",
      message: /has no Size, StorageClass, IsLatest: add these fields/,
    });
  });

  it("are refused if it is not clear whether they are the latest versions", async () => {
    await assert.rejects(read(line.replace("true", "1")), {
      message: /has "1" in IsLatest or IsDeleteMarker; need true or false/,
    });
  });

  it("may have access control lists", async () => {
    const [row] = await read(line.replace("\n", `,"${"A".repeat(20_000)}"\n`), [
      ...csvColumns,
      "ObjectAccessControlList",
    ]);
    assert.equal(row?.etag, "e");
  });

  it("are refused if a line never ends, whatever it expands to", async () => {
    await assert.rejects(read(`"${"a".repeat(10_000_000)}`), { message: /[Mm]ax.*65536/ });
  });
});
