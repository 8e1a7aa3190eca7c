/** Reads the rows of one file of an Inventory report, CSV or Parquet, from the disk. */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip, gunzipSync, zstdDecompressSync } from "node:zlib";
import { parse } from "csv-parse";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { type Key, keyOfBytes } from "../keys.ts";
import { decodeKey } from "../s3/read-page.ts";
import { StoreError } from "../s3/store-error.ts";
import type { Manifest } from "./manifest.ts";

/** A row, with undefined for what it leaves out. */
export interface ReportRow {
  readonly key: Key;
  readonly versionId: string | undefined;
  /** Undefined: the report is of current versions only. */
  readonly isLatest: boolean | undefined;
  readonly isDeleteMarker: boolean;
  readonly sizeBytes: number | undefined;
  readonly modifiedAt: Date | undefined;
  readonly etag: string | undefined;
  readonly storageClass: string | undefined;
}

export function readRows(path: string, manifest: Manifest): AsyncIterable<ReportRow> {
  return manifest.format === "CSV" ? csvRows(path, manifest.columns) : parquetRows(path);
}

const requiredColumns = ["Key", "Size", "LastModifiedDate", "ETag", "StorageClass"];

function requireColumns(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new StoreError(
    `the Inventory report has no ${missing.join(", ")}: add these fields to its configuration`,
  );
}

/** A key has at most 1,024 bytes, three times as many percent-encoded. */
const recordCharactersMax = 16 * 1024;

async function* csvRows(path: string, columns: readonly string[]): AsyncGenerator<ReportRow> {
  requireColumns(requiredColumns.filter((name) => !columns.includes(name)));
  const parser = parse({
    columns: [...columns],
    max_record_size: recordCharactersMax,
    relax_column_count_less: true,
  });
  // Errors of each stream come out of the last one.
  pipeline(createReadStream(path), createGunzip(), parser, () => undefined);
  for await (const row of parser as AsyncIterable<Record<string, string | undefined>>) {
    const text = (name: string) => row[name] || undefined;
    const { Size, LastModifiedDate, IsLatest } = row;
    yield {
      key: decodeKey(row.Key ?? ""),
      versionId: text("VersionId"),
      isLatest: IsLatest ? IsLatest === "true" : undefined,
      isDeleteMarker: row.IsDeleteMarker === "true",
      sizeBytes: Size ? Number(Size) : undefined,
      modifiedAt: LastModifiedDate ? new Date(LastModifiedDate) : undefined,
      etag: text("ETag"),
      storageClass: text("StorageClass"),
    };
  }
}

/** Of a Parquet file, which keeps rows in groups that are read as a whole. */
const groupRowsMax = 2_000_000;

const parquetColumns = {
  key: "Key",
  size: "Size",
  last_modified_date: "LastModifiedDate",
  e_tag: "ETag",
  storage_class: "StorageClass",
};

const optionalParquetColumns = ["version_id", "is_latest", "is_delete_marker"];

async function* parquetRows(path: string): AsyncGenerator<ReportRow> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const present = new Set(metadata.schema.map(({ name }) => name));
  const missing = Object.entries(parquetColumns).filter(([name]) => !present.has(name));
  requireColumns(missing.map(([, name]) => name));
  const columns = [...Object.keys(parquetColumns), ...optionalParquetColumns].filter((name) =>
    present.has(name),
  );
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const count = Number(num_rows);
    if (count > groupRowsMax) {
      throw new StoreError(
        `a row group of the Inventory report has ${count} rows; need at most ${groupRowsMax}`,
      );
    }
    const range = { rowStart, rowEnd: rowStart + count };
    const options = { file, metadata, columns, compressors, parsers, ...range };
    for (const row of await parquetReadObjects(options)) yield rowOfParquet(row);
    rowStart += count;
  }
}

/** Bytes that are not UTF-8 stay bytes. */
const parsers = { stringFromBytes: keyOfBytes };

const compressors = {
  GZIP: (input: Uint8Array) => gunzipSync(input),
  ZSTD: (input: Uint8Array) => zstdDecompressSync(input),
};

function rowOfParquet(row: Record<string, unknown>): ReportRow {
  const { key, size, last_modified_date: modified } = row;
  const text = (name: string) => textOf(row[name]) || undefined;
  return {
    key: typeof key === "string" || key instanceof Uint8Array ? key : "",
    versionId: text("version_id"),
    isLatest: typeof row.is_latest === "boolean" ? row.is_latest : undefined,
    isDeleteMarker: row.is_delete_marker === true,
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
