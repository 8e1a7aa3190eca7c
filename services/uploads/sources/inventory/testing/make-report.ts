/** For tests: makes S3 Inventory reports as Amazon does. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";

export interface SampleRow {
  readonly key: string;
  readonly versionId?: string;
  readonly isLatest?: boolean;
  readonly isDeleteMarker?: boolean;
  readonly sizeBytes?: number | undefined;
  readonly modifiedAt: Date;
  readonly etag?: string;
}

interface SampleFile {
  readonly key: string;
  readonly content: Buffer;
}

export const csvColumns = [
  "Bucket",
  "Key",
  "VersionId",
  "IsLatest",
  "IsDeleteMarker",
  "Size",
  "LastModifiedDate",
  "ETag",
  "StorageClass",
];

/** A compressed CSV file. Keys are percent-encoded, with `+` for a space. */
export function csvFile(bucket: string, rows: readonly SampleRow[]): Buffer {
  const lines = rows.map((row) => {
    const { key, versionId, isLatest, isDeleteMarker, sizeBytes, modifiedAt, etag } = row;
    const encoded = encodeURIComponent(key).replaceAll("%2F", "/").replaceAll("%20", "+");
    const time = modifiedAt.toISOString();
    const flags = [isLatest ?? true, isDeleteMarker ?? false];
    const values = [bucket, encoded, versionId, ...flags, sizeBytes, time, etag, "STANDARD"];
    return `${values.map((value) => `"${value ?? ""}"`).join(",")}\n`;
  });
  return gzipSync(lines.join(""));
}

/** A Parquet file, compressed with Snappy. `rowGroupSize` is the rows in a group. */
export function parquetFile(bucket: string, rows: readonly SampleRow[], rowGroupSize = 7): Buffer {
  const column = <T>(name: string, type: string, value: (row: SampleRow) => T) => ({
    name,
    type: type as "STRING",
    nullable: true,
    data: rows.map(value),
  });
  const content = parquetWriteBuffer({
    columnData: [
      column("bucket", "STRING", () => bucket),
      column("key", "STRING", ({ key }) => key),
      column("version_id", "STRING", ({ versionId }) => versionId ?? null),
      column("is_latest", "BOOLEAN", ({ isLatest }) => isLatest ?? true),
      column("is_delete_marker", "BOOLEAN", ({ isDeleteMarker }) => isDeleteMarker ?? false),
      column("size", "INT64", ({ sizeBytes }) =>
        sizeBytes === undefined ? null : BigInt(sizeBytes),
      ),
      column("last_modified_date", "TIMESTAMP", ({ modifiedAt }) => modifiedAt),
      column("e_tag", "STRING", ({ etag }) => etag ?? null),
      column("storage_class", "STRING", () => "STANDARD"),
    ],
    rowGroupSize,
  });
  return Buffer.from(content);
}

/** The manifest of a report with these files, and the content of `manifest.checksum`. */
export function makeManifest(
  bucket: string,
  format: "CSV" | "Parquet",
  files: readonly SampleFile[],
  changes: Readonly<Record<string, unknown>> = {},
): { readonly manifest: Buffer; readonly checksum: string } {
  const manifest = Buffer.from(
    JSON.stringify({
      sourceBucket: bucket,
      destinationBucket: "arn:aws:s3:::reports",
      version: "2016-11-30",
      creationTimestamp: String(Date.parse("2026-11-20T00:00:00Z")),
      fileFormat: format,
      fileSchema: format === "CSV" ? csvColumns.join(", ") : "message s3.inventory {}",
      files: files.map(({ key, content }) => ({
        key,
        size: content.length,
        MD5checksum: md5Of(content),
      })),
      ...changes,
    }),
  );
  return { manifest, checksum: md5Of(manifest) };
}

function md5Of(content: Buffer): string {
  return createHash("md5").update(content).digest("hex");
}
