import assert from "node:assert/strict";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { makeTemporaryFolder, type TemporaryFolder } from "@stowage/process/testing";
import type { FileMetaData } from "hyparquet";
import { parquetRows } from "./parquet-rows.ts";
import {
  dataPage,
  dictionaryPage,
  plainTexts,
  run,
  sizedRuns,
  withMetadata,
  withMetadataBytes,
  withPages,
} from "./testing/change-parquet.ts";
import { parquetFile } from "./testing/make-report.ts";

const modifiedAt = new Date("2026-11-19T12:00:00.123Z");
const row = { sizeBytes: 1, modifiedAt, etag: "e" };
/** Three rows in one row group. */
const sample = parquetFile(
  "b",
  ["k1", "k2", "k3"].map((key) => ({ ...row, key })),
);
/** Each of the three rows has a value. */
const allPresent = sizedRuns(run(3, 1));

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

  async function readKeys(content: Buffer) {
    return (await read(content)).map(({ key }) => key);
  }

  it("come from groups of any size, in order", async () => {
    const rows = Array.from({ length: 120_001 }, (_, number) => ({ ...row, key: `${number}` }));
    const keys = await readKeys(parquetFile("b", rows, 110_000));
    assert.deepEqual(
      keys,
      rows.map(({ key }) => key),
    );
  });

  const dictionary = dictionaryPage(2, plainTexts("a", "b"));
  const readable: [what: string, pages: Buffer[], keys: unknown[]][] = [
    ["plain values", [plainPage(allPresent, "a", "b", "c")], ["a", "b", "c"]],
    ["positions in a dictionary", [dictionary, indexPage(run(2, 1), run(1, 0))], ["b", "b", "a"]],
    ["packed positions", [dictionary, indexPage(Buffer.from([3, 0b101]))], ["b", "a", "b"]],
    ["pages of fewer rows", [onePage("a"), onePage("b"), onePage("c")], ["a", "b", "c"]],
    ["nulls", [plainPage(sizedRuns(run(2, 0), run(1, 1)), "c")], ["", "", "c"]],
    ["nothing but nulls", [plainPage(sizedRuns(run(3, 0)))], ["", "", ""]],
  ];
  for (const [what, pages, keys] of readable) {
    it(`may be ${what}`, async () => {
      assert.deepEqual(await readKeys(withPages(sample, { name: "key", pages })), keys);
    });
  }

  it("may have keys that are not UTF-8, and be compressed by gzip", async () => {
    const bytes = Buffer.concat([plainTexts("a", "b"), Buffer.from([1, 0, 0, 0, 0xff])]);
    const content = Buffer.concat([allPresent, bytes]);
    const pages = [compressedPage(content, content.length)];
    const keys = await readKeys(withPages(sample, { name: "key", codec: "GZIP", pages }));
    assert.deepEqual(keys, ["a", "b", new Uint8Array([0xff])]);
  });

  const billion = 1_000_000_000;
  const refusedPages: [what: string, pages: Buffer[], message: RegExp][] = [
    [
      "more values than a page may have",
      [dataPage("RLE_DICTIONARY", billion, allPresent)],
      /column key in row group 0 .* 1000000000 values in a page; need at most 5000000/,
    ],
    [
      "more values than the row group has rows",
      [onePage("a"), plainPage(allPresent, "b", "c", "d")],
      /3 values after the first 1; need at most 2/,
    ],
    ["a run of too many levels", [plainPage(sizedRuns(run(50_000_000, 1)), "a")], /a run of 500/],
    [
      "a run of too many positions",
      [dictionary, indexPage(run(50_000_000, 1))],
      /a run of 50000000 values where 3 are left/,
    ],
    ["a run that is cut off", [dictionary, indexPage(run(2, 1))], /a run that is cut off/],
    [
      "a larger dictionary than its bytes can hold",
      [dictionaryPage(billion, plainTexts("a")), indexPage(run(3, 0))],
      /1000000000 values in a page/,
    ],
    ["positions without a dictionary", [indexPage(run(3, 0))], /no dictionary/],
    ["a position after its dictionary", [dictionary, indexPage(run(3, 2))], /lacks some of its 3/],
    ["too few values", [onePage("a"), onePage("b")], /it has 2 values; need 3, one for each row/],
    [
      "an unknown encoding",
      [dataPage("DELTA_BYTE_ARRAY", 3, allPresent)],
      /DELTA_BYTE_ARRAY; need/,
    ],
    [
      "a page of another kind",
      [dataPage("PLAIN", 3, allPresent, { type: "INDEX_PAGE" })],
      /type INDEX_PAGE; need data or a dictionary/,
    ],
    [
      "a page that claims another size",
      [dataPage("PLAIN", 3, allPresent, { uncompressed_page_size: 7 })],
      /a page of \d+ bytes that claims 7/,
    ],
    [
      "a page that claims to be huge",
      [dataPage("PLAIN", 3, allPresent, { uncompressed_page_size: billion })],
      /1000000000 bytes in a page; need at most 134217728/,
    ],
    [
      "a page that claims to end after the column",
      [dataPage("PLAIN", 3, allPresent, { compressed_page_size: 5000 })],
      /5000 bytes in its last page; need at most/,
    ],
    [
      "a header that claims a huge list",
      [Buffer.from([0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07])],
      /header of its page cannot be read: it needs 2147483647 more bytes, and 0 are left/,
    ],
    [
      "a header of lists in lists",
      [Buffer.concat([Buffer.from([0x19]), Buffer.alloc(100, 0x19)])],
      /over 16 levels/,
    ],
  ];
  for (const [what, pages, message] of refusedPages) {
    it(`are refused with ${what}`, async () => {
      await assert.rejects(read(withPages(sample, { name: "key", pages })), { message });
    });
  }

  it("are refused if a text claims bytes of other memory", async () => {
    const content = Buffer.concat([allPresent, plainTexts("a", "b"), Buffer.from([200, 0, 0, 0])]);
    const pages = [compressedPage(content, content.length)];
    await assert.rejects(read(withPages(sample, { name: "key", codec: "GZIP", pages })), {
      message: /column key in row group 0 cannot be read: Invalid typed array length/,
    });
  });

  it("are refused if a page expands to more than it claims", async () => {
    const pages = [compressedPage(Buffer.alloc(10_000_000), 100)];
    await assert.rejects(read(withPages(sample, { name: "key", codec: "GZIP", pages })), {
      message: /column key in row group 0 cannot be read: .*100/,
    });
  });

  it("are refused in an unknown compression", async () => {
    const pages = [onePage("a")];
    await assert.rejects(read(withPages(sample, { name: "key", codec: "BROTLI", pages })), {
      message: /compressed by BROTLI; need UNCOMPRESSED, SNAPPY, GZIP, ZSTD/,
    });
  });

  const refusedMetadata: [what: string, (metadata: FileMetaData) => void, message: RegExp][] = [
    [
      "a column in another one",
      // The flags would be read as absent, and older versions as current ones.
      (metadata) => nest(metadata, "is_latest"),
      /has no IsLatest: add these fields/,
    ],
    ["a nested column", (metadata) => nest(metadata, "key", "key"), /column key is nested/],
    [
      "a column of lists",
      ({ schema }) => Object.assign(schema[2] ?? {}, { repetition_type: "REPEATED" }),
      /column key is nested; need one value a row/,
    ],
    [
      "a column of another type",
      ({ schema }) => Object.assign(schema[2] ?? {}, { type: "DOUBLE" }),
      /column key is DOUBLE; need BYTE_ARRAY/,
    ],
    [
      "a column twice",
      (metadata) => {
        Object.assign(metadata.schema[1] ?? {}, { name: "key" });
        Object.assign(chunkOf(metadata, "bucket") ?? {}, { path_in_schema: ["key"] });
      },
      /the column key twice; need one/,
    ],
    [
      "too many columns",
      ({ schema }) => schema.push(...Array(1000).fill(schema[1])),
      /1010 columns; need at most 1000/,
    ],
    [
      "a column after the end of the file",
      ({ row_groups: [group] }) =>
        Object.assign(group?.columns[1]?.meta_data ?? {}, { data_page_offset: 10_000_000n }),
      /column key in row group 0 .* bytes 10000000 to \d+; need at most \d+/,
    ],
    [
      "a row group without a column",
      ({ row_groups: [group] }) => group?.columns.splice(1, 1),
      /0 parts of the column key in a row group; need 1/,
    ],
    [
      "a row group of another number of rows",
      ({ row_groups: [group] }) => Object.assign(group ?? {}, { num_rows: 2n }),
      /column bucket in row group 0 .* 3 values after the first 0; need at most 2/,
    ],
    [
      "another number of rows",
      (metadata) => Object.assign(metadata, { num_rows: 4n }),
      /it has 3 rows in its row groups; need 4/,
    ],
  ];
  for (const [what, change, message] of refusedMetadata) {
    it(`are refused with ${what}`, async () => {
      await assert.rejects(read(withMetadata(sample, change)), { message });
    });
  }

  it("are refused if the metadata claims more than it has", async () => {
    const huge = withMetadataBytes(sample, Buffer.from([0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07]));
    await assert.rejects(read(huge), {
      message: /its metadata cannot be read: it needs 2147483647/,
    });
    const fields = Buffer.alloc(8_000_003, 0x11);
    fields[fields.length - 1] = 0;
    await assert.rejects(read(withMetadataBytes(sample, fields)), {
      message: /its metadata cannot be read: it has more than 4000000 fields/,
    });
  });

  it("are refused if the file claims more metadata than there may be", async () => {
    const content = Buffer.from(sample);
    content.writeUInt32LE(2 ** 31, content.length - 8);
    await assert.rejects(read(content), { message: /2147483648 bytes of metadata; need at most/ });
  });

  it("are refused if the file is cut off", async () => {
    await assert.rejects(read(sample.subarray(0, 8)), { message: /too short for a Parquet file/ });
    await assert.rejects(read(sample.subarray(0, -1)), { message: /metadata/ });
  });
});

function plainPage(levels: Buffer, ...texts: string[]): Buffer {
  return dataPage("PLAIN", 3, Buffer.concat([levels, plainTexts(...texts)]));
}

function onePage(text: string): Buffer {
  return dataPage("PLAIN", 1, Buffer.concat([sizedRuns(run(1, 1)), plainTexts(text)]));
}

/** Positions of eight bits, but for packed ones of one bit. */
function indexPage(...runs: Buffer[]): Buffer {
  const width = (runs[0]?.[0] ?? 0) % 2 === 1 ? 1 : 8;
  return dataPage("RLE_DICTIONARY", 3, Buffer.concat([allPresent, Buffer.from([width]), ...runs]));
}

function compressedPage(content: Buffer, claimedBytes: number): Buffer {
  const compressed = gzipSync(content);
  return dataPage("PLAIN", 3, compressed, { uncompressed_page_size: claimedBytes });
}

/** Puts a column into a structure, which is named `name`. */
function nest(metadata: FileMetaData, column: string, name = "other"): void {
  const { schema } = metadata;
  const index = schema.findIndex((element) => element.name === column);
  schema.splice(index, 0, { name, repetition_type: "OPTIONAL", num_children: 1 });
  Object.assign(chunkOf(metadata, column) ?? {}, { path_in_schema: [name, column] });
}

function chunkOf({ row_groups: [group] }: FileMetaData, name: string) {
  return group?.columns.find((column) => column.meta_data?.path_in_schema[0] === name)?.meta_data;
}
