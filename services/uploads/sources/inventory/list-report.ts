/** Lists a bucket by an S3 Inventory report: cheaper than requests for large buckets. */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "@stowage/process";
import { formatTime } from "../../model/format.ts";
import { hasPrefix, type Key } from "../keys.ts";
import type { ListedObject, ListedPage, Lister, OpenedListing } from "../lister.ts";
import { findObjects } from "../s3/find-objects.ts";
import { openStore, type Store } from "../s3/store.ts";
import { StoreError } from "../s3/store-error.ts";
import type { StoreLocation } from "../s3/store-location.ts";
import { storeObject } from "../s3/store-object.ts";
import { microsOfDate, microsOfTime } from "../s3/store-time.ts";
import { csvRows } from "./csv-rows.ts";
import { download, readSmallObject } from "./download.ts";
import { type Manifest, type ReportFile, readManifest } from "./manifest.ts";
import { parquetRows } from "./parquet-rows.ts";
import type { ReportRow } from "./report-row.ts";

interface ReportOptions {
  /** The bucket that is listed. */
  readonly location: StoreLocation;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** Whether the version IDs must be in the report. */
  readonly versions?: boolean | undefined;
  readonly manifest: { readonly bucket: string; readonly key: string };
  /** The time of what the last complete run found: an older report would undo it. */
  readonly listedAt?: Date | undefined;
}

/** Reads the manifest. @throws StoreError */
export async function openReport(
  options: ReportOptions,
  signal: AbortSignal,
): Promise<Required<OpenedListing>> {
  const { location, listedAt } = options;
  const { bucket, key } = options.manifest;
  const store = openStore({ ...location, bucket });
  const content = await readSmallObject(store, key, signal);
  const checksumKey = key.replace(/\.json$/, ".checksum");
  const checksum = await readSmallObject(store, checksumKey, signal);
  const manifest = readManifest(content, checksum.toString(), location.bucket);
  if (listedAt !== undefined && manifest.madeAt < listedAt) {
    throw new StoreError(
      `the Inventory report is of ${formatTime(manifest.madeAt)}, older than what the last ` +
        `complete run found, of ${formatTime(listedAt)}: use a newer report, or list the bucket`,
    );
  }
  const { madeAt } = manifest;
  const lister = {
    ...reportListing(store, { ...options, manifest }),
    // The bucket itself knows what it has now.
    find: (keys: readonly Key[], signal: AbortSignal) =>
      findObjects(keys, { store: openStore(location), signal }),
    async read(): Promise<never> {
      throw new Error("Cannot read single objects: the run has an Inventory report");
    },
  };
  return { madeAt, lister };
}

/**
 * Files of a report are in no order. So each file is a range of its own, whose bounds are not keys,
 * but its number.
 */
function reportListing(
  store: Store,
  options: Omit<FileOptions, "file" | "signal">,
): Omit<Lister, "find" | "read"> {
  const { files } = options.manifest;
  return {
    ranges: () => files.map((_, number) => ({ after: String(number), until: String(number) })),
    list: ({ after }, signal) =>
      listFile(store, { ...options, file: files[Number(after)] as ReportFile, signal }),
  };
}

interface FileOptions {
  readonly manifest: Manifest;
  readonly prefix: string;
  readonly versions?: boolean | undefined;
  readonly file: ReportFile;
  readonly signal: AbortSignal;
}

const pageRows = 1000;

async function* listFile(store: Store, options: FileOptions): AsyncGenerator<ListedPage> {
  const { manifest, file, signal } = options;
  await using content = await openTemporaryFile();
  try {
    await download(store, file, content, signal);
    const isCsv = manifest.format === "CSV";
    const rows = isCsv ? csvRows(content, manifest.columns) : parquetRows(content);
    yield* pagesOf(rows, options);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StoreError) throw error;
    // Errors of the readers and of rows do not name the file.
    throw new StoreError(
      `the Inventory report's file ${file.key} cannot be read: ${errorText(error)}`,
    );
  }
}

/** A file that no longer has a name: its space is freed however the process ends. */
async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `stowage-inventory-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

async function* pagesOf(
  rows: AsyncIterable<ReportRow>,
  { manifest, prefix, versions = false, signal }: FileOptions,
): AsyncGenerator<ListedPage> {
  let row = 0;
  let objects: ListedObject[] = [];
  for await (const found of rows) {
    row += 1;
    requireIdentity(found, manifest);
    if (versions && found.isLatest === undefined) throw withoutVersions();
    if (isCurrent(found) && hasPrefix(found.key, prefix)) objects.push(objectOf(found));
    if (row % pageRows !== 0) continue;
    signal.throwIfAborted();
    yield { objects, leftOut: [] };
    objects = [];
  }
  if (objects.length > 0) yield { objects, leftOut: [] };
}

function requireIdentity({ bucket, key }: ReportRow, manifest: Manifest): void {
  if (key.length === 0) throw new Error("it has a row without a key");
  if (bucket === undefined || bucket === manifest.bucket) return;
  throw new Error(`it has a row of the bucket ${bucket}; need ${manifest.bucket}`);
}

function isCurrent({ isLatest, isDeleteMarker }: ReportRow): boolean {
  return isLatest !== false && !isDeleteMarker;
}

function withoutVersions(): StoreError {
  return new StoreError(
    "--versions needs the IDs of versions, and the Inventory report is of current versions only, " +
      "without them: configure a report of all versions, or list the bucket",
  );
}

function objectOf(row: ReportRow): ListedObject {
  const { sizeBytes = -1, modifiedAt } = row;
  const isSize = Number.isSafeInteger(sizeBytes) && sizeBytes >= 0;
  if (!isSize || modifiedAt === undefined) {
    throw new Error("it has a row without a size or a time");
  }
  const modifiedAtMicros =
    typeof modifiedAt === "string" ? microsOfTime(modifiedAt) : microsOfDate(modifiedAt);
  return storeObject({ ...row, sizeBytes, modifiedAtMicros });
}
