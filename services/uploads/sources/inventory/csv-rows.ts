/** Reads the rows of a CSV file of an Inventory report from the disk. */
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { parse } from "csv-parse";
import { decodeKey } from "../keys.ts";
import { type ReportRow, readFlag, requireColumns } from "./report-row.ts";

/**
 * A key has at most 1,024 bytes, three times as many percent-encoded. A report may also have access
 * control lists of a hundred grants, 17,000 characters in Base64.
 */
const recordCharactersMax = 64 * 1024;

/**
 * Closes the file in the end.
 *
 * @param columns the names of its columns; others than those of `ReportRow` are ignored.
 */
export async function* csvRows(
  file: FileHandle,
  columns: readonly string[],
): AsyncGenerator<ReportRow> {
  requireColumns(columns);
  const parser = parse({
    columns: [...columns],
    max_record_size: recordCharactersMax,
    relax_column_count_less: true,
  });
  // Errors of each stream come out of the last one.
  pipeline(file.createReadStream({ start: 0 }), createGunzip(), parser, () => undefined);
  for await (const row of parser as AsyncIterable<Record<string, string | undefined>>) {
    const text = (name: string) => row[name] || undefined;
    const { Size } = row;
    yield {
      bucket: text("Bucket"),
      key: decodeKey(row.Key ?? ""),
      versionId: text("VersionId"),
      isLatest: readFlag(row.IsLatest),
      isDeleteMarker: readFlag(row.IsDeleteMarker) ?? false,
      sizeBytes: Size ? Number(Size) : undefined,
      modifiedAt: text("LastModifiedDate"),
      etag: text("ETag"),
      storageClass: text("StorageClass"),
    };
  }
}
