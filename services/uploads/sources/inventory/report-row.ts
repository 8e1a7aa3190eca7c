/** A row of an Inventory report, in either format. */
import type { Key } from "../keys.ts";
import { StoreError } from "../s3/store-error.ts";

/** Members are undefined if the row has no value for them. */
export interface ReportRow {
  readonly bucket: string | undefined;
  readonly key: Key;
  readonly versionId: string | undefined;
  /** Undefined: the report is of current versions only. */
  readonly isLatest: boolean | undefined;
  readonly isDeleteMarker: boolean;
  readonly sizeBytes: number | undefined;
  /** In CSV reports, a text. */
  readonly modifiedAt: string | Date | undefined;
  readonly etag: string | undefined;
  readonly storageClass: string | undefined;
}

const requiredColumns = ["Key", "Size", "LastModifiedDate", "ETag", "StorageClass"];

/** @param columns by their names in CSV reports. @throws StoreError */
export function requireColumns(columns: readonly string[]): void {
  // Without IsLatest, older versions would look like current ones.
  const ofVersions = columns.includes("VersionId") ? ["IsLatest"] : [];
  const missing = [...requiredColumns, ...ofVersions].filter((name) => !columns.includes(name));
  if (missing.length === 0) return;
  throw new StoreError(
    `the Inventory report has no ${missing.join(", ")}: add these fields to its configuration`,
  );
}

/** @throws Error for anything else than yes, no and nothing. */
export function readFlag(value: unknown): boolean | undefined {
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  if (value === undefined || value === null || value === "") return undefined;
  throw new Error(
    `it has ${JSON.stringify(String(value))} in IsLatest or IsDeleteMarker; need true or false`,
  );
}
