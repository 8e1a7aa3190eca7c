/**
 * Reads the rows of a Parquet file of an Inventory report from the disk. What a file says about its
 * own sizes is checked before memory is taken for it.
 */
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  snappyUncompress,
} from "hyparquet";
import { keyOfBytes } from "../keys.ts";
import { type ReportRow, readFlag, requireColumns } from "./report-row.ts";

/** A file of 8 GiB in groups of 16 MiB has some 2 MiB of metadata. */
const metadataBytesMax = 32 * 1024 * 1024;
/** Most bytes of a group in the columns that are read, all in memory. Writers make 128 MiB. */
const groupBytesMax = 1024 ** 3;
/** Columns are divided into pages of some MiB, which are decompressed as a whole. */
const pageBytesMax = 256 * 1024 * 1024;
/** Rows that are held as objects at the same time. */
const rowsAtOnce = 50_000;

/** The names of columns in Parquet reports, and in CSV reports. */
const columnNames: Readonly<Record<string, string>> = {
  bucket: "Bucket",
  key: "Key",
  version_id: "VersionId",
  is_latest: "IsLatest",
  is_delete_marker: "IsDeleteMarker",
  size: "Size",
  last_modified_date: "LastModifiedDate",
  e_tag: "ETag",
  storage_class: "StorageClass",
};

export async function* parquetRows(path: string): AsyncGenerator<ReportRow> {
  const file = await asyncBufferFromFile(path);
  await requireMetadataSize(file);
  const metadata = await parquetMetadataAsync(file);
  const present = new Set(metadata.schema.map(({ name }) => name));
  const columns = Object.keys(columnNames).filter((name) => present.has(name));
  requireColumns(columns.map((name) => columnNames[name] ?? name));
  const options = { file, metadata, columns, compressors, parsers };
  const rowCount = requireGroups(metadata, new Set(columns));
  for (let rowStart = 0; rowStart < rowCount; rowStart += rowsAtOnce) {
    const rowEnd = Math.min(rowStart + rowsAtOnce, rowCount);
    for (const row of await parquetReadObjects({ ...options, rowStart, rowEnd })) {
      yield rowOfParquet(row);
    }
  }
}

/** The file ends with the length of its metadata, and a mark of four bytes. */
async function requireMetadataSize(file: AsyncBuffer): Promise<void> {
  if (file.byteLength < 12) throw new Error("it is too short for a Parquet file");
  const end = new DataView(await file.slice(file.byteLength - 8, file.byteLength));
  requireAtMost(metadataBytesMax, end.getUint32(0, true), "bytes of metadata");
}

/** Returns the number of rows. */
function requireGroups(metadata: FileMetaData, columns: ReadonlySet<string>): number {
  let rowCount = 0;
  for (const group of metadata.row_groups) {
    const read = group.columns
      .map((column) => column.meta_data)
      .filter((column) => columns.has(column?.path_in_schema[0] ?? ""));
    const sizes = read.map((column) =>
      Math.max(Number(column?.total_compressed_size), Number(column?.total_uncompressed_size)),
    );
    requireAtMost(
      groupBytesMax,
      sizes.reduce((sum, size) => sum + size, 0),
      "bytes in a row group",
    );
    rowCount += Number(group.num_rows);
  }
  if (rowCount === Number(metadata.num_rows)) return rowCount;
  throw new Error(`it has ${metadata.num_rows} rows, but ${rowCount} in its row groups`);
}

function requireAtMost(max: number, value: number, what: string): number {
  if (value >= 0 && value <= max) return value;
  throw new Error(`it has ${value} ${what}; need at most ${max}`);
}

const pageBytes = (sizeBytes: number) => requireAtMost(pageBytesMax, sizeBytes, "bytes in a page");
const limitOf = (sizeBytes: number) => ({ maxOutputLength: pageBytes(sizeBytes) || 1 });

const compressors = {
  GZIP: (input: Uint8Array, sizeBytes: number) => gunzipSync(input, limitOf(sizeBytes)),
  ZSTD: (input: Uint8Array, sizeBytes: number) => zstdDecompressSync(input, limitOf(sizeBytes)),
  SNAPPY(input: Uint8Array, sizeBytes: number) {
    const output = new Uint8Array(pageBytes(sizeBytes));
    snappyUncompress(input, output);
    return output;
  },
};

/** Text that is not UTF-8 stays bytes. */
const parsers = { stringFromBytes: keyOfBytes };

function rowOfParquet(row: Record<string, unknown>): ReportRow {
  const { key, size, last_modified_date: modified } = row;
  const text = (name: string) => textOf(row[name]) || undefined;
  return {
    bucket: text("bucket"),
    key: typeof key === "string" || key instanceof Uint8Array ? key : "",
    versionId: text("version_id"),
    isLatest: readFlag(row.is_latest),
    isDeleteMarker: readFlag(row.is_delete_marker) ?? false,
    sizeBytes: size === null || size === undefined ? undefined : Number(size),
    modifiedAt: modified instanceof Date ? modified : undefined,
    etag: text("e_tag"),
    storageClass: text("storage_class"),
  };
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "string" ? value : "";
}
