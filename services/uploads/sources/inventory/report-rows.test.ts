import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { makeTemporaryFolder, type TemporaryFolder } from "@stowage/process/testing";
import { csvRows } from "./csv-rows.ts";
import { parquetRows } from "./parquet-rows.ts";
import { csvColumns, parquetFile } from "./testing/make-report.ts";

const modifiedAt = new Date("2026-11-19T12:00:00.123Z");

describe("the rows of a file of an Inventory report", () => {
  let folder: TemporaryFolder;
  let path: string;
  before(async () => {
    folder = await makeTemporaryFolder();
    path = join(folder.path, "report");
  });
  after(() => folder.remove());

  describe("in CSV", () => {
    async function read(text: string, columns: readonly string[] = csvColumns) {
      await writeFile(path, gzipSync(text));
      return await Array.fromAsync(csvRows(path, columns));
    }

    const line = '"b","a+%2B%00%FFc","v","true","false","5","2026-11-19T12:00:00.123Z","e","S"\n';

    it("have decoded keys, which may be bytes", async () => {
      const key = Buffer.from("a +\0\xffc", "latin1");
      assert.deepEqual(await read(line), [
        {
          ...{ bucket: "b", key, versionId: "v", isLatest: true, isDeleteMarker: false },
          ...{ sizeBytes: 5, modifiedAt, etag: "e", storageClass: "S" },
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

    it("are refused if a line never ends, whatever it expands to", async () => {
      await assert.rejects(read(`"${"a".repeat(10_000_000)}`), { message: /[Mm]ax.*16384/ });
    });
  });

  describe("in Parquet", () => {
    const row = { sizeBytes: 1, modifiedAt, etag: "e" };

    async function read(content: Buffer) {
      await writeFile(path, content);
      return await Array.fromAsync(parquetRows(path));
    }

    it("come from groups of any size, in order", async () => {
      const rows = Array.from({ length: 120_001 }, (_, number) => ({ ...row, key: `${number}` }));
      const found = await read(parquetFile("b", rows, 110_000));
      assert.deepEqual(
        found.map(({ key }) => key),
        rows.map(({ key }) => key),
      );
    });

    it("are refused if the file claims more metadata than there may be", async () => {
      const content = parquetFile("b", [{ ...row, key: "a" }]);
      content.writeUInt32LE(2 ** 31, content.length - 8);
      await assert.rejects(read(content), {
        message: /2147483648 bytes of metadata; need at most/,
      });
    });

    it("are refused if the file is cut off", async () => {
      const content = parquetFile("b", [{ ...row, key: "a" }]);
      await assert.rejects(read(content.subarray(0, 8)), {
        message: /too short for a Parquet file/,
      });
      await assert.rejects(read(content.subarray(0, -1)), { message: /parquet|metadata/ });
    });
  });
});
