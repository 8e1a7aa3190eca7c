import assert from "node:assert/strict";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { makeTemporaryFolder, type TemporaryFolder } from "@stowage/process/testing";
import { parquetWriteBuffer } from "hyparquet-writer";
import { parquetRows } from "./parquet-rows.ts";
import { parquetFile } from "./testing/make-report.ts";

const modifiedAt = new Date("2026-11-19T12:00:00.123Z");
const row = { sizeBytes: 1, modifiedAt, etag: "e" };

describe("the rows of a Parquet file of an Inventory report", () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  async function read(content: Buffer) {
    const path = join(folder.path, "report");
    await writeFile(path, content);
    await using file = await open(path);
    return await Array.fromAsync(parquetRows(file));
  }

  const rowsOf = (...keys: string[]) => keys.map((key) => ({ ...row, key }));

  it("come from groups of any size, in order", async () => {
    const keys = Array.from({ length: 12_001 }, (_, number) => `${number}`);
    const rows = await read(parquetFile("b", rowsOf(...keys), 5000));
    assert.deepEqual(
      rows.map(({ key }) => key),
      keys,
    );
  });

  for (const [codec, compress] of [
    ["GZIP", gzipSync],
    ["ZSTD", zstdCompressSync],
  ] as const) {
    it(`may be compressed by ${codec}`, async () => {
      const strings = (name: string, text: string) => ({
        name,
        data: [text, text],
        type: "STRING" as const,
      });
      const content = parquetWriteBuffer({
        columnData: [
          strings("bucket", "b"),
          strings("key", "k"),
          { name: "size", data: [1n, 2n], type: "INT64" },
          { name: "last_modified_date", data: [modifiedAt, modifiedAt], type: "TIMESTAMP" },
          strings("e_tag", "e"),
          strings("storage_class", "STANDARD"),
        ],
        codec,
        compressors: { [codec]: (bytes: Uint8Array) => compress(bytes) },
      });
      const rows = await read(Buffer.from(content));
      assert.deepEqual(
        rows.map(({ sizeBytes }) => sizeBytes),
        [1, 2],
      );
      assert.deepEqual(rows[0]?.modifiedAt, modifiedAt);
    });
  }

  it("may have keys that are not UTF-8", async () => {
    const key = new Uint8Array([0x61, 0xff]);
    const [found] = await read(parquetFile("b", [{ ...row, key: key as unknown as string }]));
    assert.deepEqual(found?.key, key);
  });

  it("are refused if the file is cut off", async () => {
    const content = parquetFile("b", rowsOf("k"));
    await assert.rejects(read(content.subarray(0, 8)));
    await assert.rejects(read(content.subarray(0, -1)));
  });

  it("are refused without a column that is needed", async () => {
    const columnData = [{ name: "key", data: ["k"], type: "STRING" as const }];
    const content = Buffer.from(parquetWriteBuffer({ columnData }));
    await assert.rejects(read(content), /has no Size, LastModifiedDate, ETag, StorageClass/);
  });
});
