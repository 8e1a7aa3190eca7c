/** Reads the rows of a Parquet file of an Inventory report from the disk, a row group at a time. */
import type { FileHandle } from "node:fs/promises";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
} from "hyparquet";
import { keyOfBytes } from "../keys.ts";
import { type ReportRow, readFlag, requireColumns } from "./report-row.ts";

/** The columns that are read: their names in Parquet and in CSV reports. */
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

/** Beside Snappy, which the library has. */
const compressors = {
  GZIP: (input: Uint8Array) => gunzipSync(input),
  ZSTD: (input: Uint8Array) => zstdDecompressSync(input),
};

/** @throws Error that says what is wrong with the file; StoreError if it lacks a column. */
export async function* parquetRows(handle: FileHandle): AsyncGenerator<ReportRow> {
  const file: AsyncBuffer = {
    byteLength: (await handle.stat()).size,
    async slice(start, end = file.byteLength) {
      const content = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(content, 0, content.length, start);
      if (bytesRead < content.length) throw new Error(`it has no byte ${start + bytesRead}`);
      return content.buffer;
    },
  };
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const columns = findColumns(metadata);
  // Text that is not UTF-8 stays bytes.
  const options = {
    file,
    metadata,
    columns,
    compressors,
    parsers: { stringFromBytes: keyOfBytes },
  };
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const rows = await parquetReadObjects({ ...options, rowStart, rowEnd });
    if (rows.length !== rowEnd - rowStart) {
      throw new Error(`it has ${rows.length} rows in a row group; need ${rowEnd - rowStart}`);
    }
    for (const row of rows) yield rowOfParquet(row);
    rowStart = rowEnd;
  }
}

function findColumns(metadata: FileMetaData): string[] {
  const found = parquetSchema(metadata).children.filter(({ element: { name }, children }) => {
    if (columnNames[name] === undefined) return false;
    if (children.length === 0) return true;
    throw new Error(`its column ${name} is nested; need one value a row`);
  });
  const columns = found.map(({ element }) => element.name);
  requireColumns(columns.map((name) => columnNames[name] ?? name));
  return columns;
}

function rowOfParquet(row: Readonly<Record<string, unknown>>): ReportRow {
  const { key, size, last_modified_date: modified } = row;
  const textOf = (name: string) => readText(row[name]) || undefined;
  return {
    bucket: textOf("bucket"),
    key: typeof key === "string" || key instanceof Uint8Array ? key : "",
    versionId: textOf("version_id"),
    isLatest: readFlag(row.is_latest),
    isDeleteMarker: readFlag(row.is_delete_marker) ?? false,
    sizeBytes: size === null || size === undefined ? undefined : Number(size),
    modifiedAt: modified instanceof Date ? modified : undefined,
    etag: textOf("e_tag"),
    storageClass: textOf("storage_class"),
  };
}

function readText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "string" ? value : "";
}
