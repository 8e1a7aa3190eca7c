/** The manifest of an S3 Inventory report: when it was made, and which files it has. */
import { createHash } from "node:crypto";
import { StoreError } from "../s3/store-error.ts";

export interface Manifest {
  /** The bucket that the report is of. */
  readonly bucket: string;
  /** Changes of the bucket after this time are not in the report. */
  readonly madeAt: Date;
  readonly format: "CSV" | "Parquet";
  /** The names of the columns of a CSV report. */
  readonly columns: readonly string[];
  readonly files: readonly ReportFile[];
}

export interface ReportFile {
  readonly key: string;
  readonly sizeBytes: number;
  /** In lower-case hexadecimal. */
  readonly md5: string;
}

/** A report of a thousand million objects has some thousand files, of 200 bytes each here. */
export const manifestBytesMax = 16 * 1024 * 1024;
const filesMax = 50_000;
/** Files are stored here while they are read. */
const fileBytesMax = 8 * 1024 ** 3;

/**
 * @param checksum the content of `manifest.checksum`: the MD5 of the manifest.
 * @throws StoreError if the manifest is damaged, of another bucket, or of a form that is not known.
 */
export function readManifest(content: Buffer, checksum: string, bucket: string): Manifest {
  const md5 = createHash("md5").update(content).digest("hex");
  if (checksum.trim().toLowerCase() !== md5) {
    throw refuse("it does not have the checksum that manifest.checksum gives: fetch it again");
  }
  const manifest = parse(content);
  if (manifest.sourceBucket !== bucket) {
    throw refuse(`it is of the bucket ${manifest.sourceBucket}, not of ${bucket}`);
  }
  const format = manifest.fileFormat;
  if (format !== "CSV" && format !== "Parquet") {
    throw refuse(`its files are ${String(format)}: configure a report of CSV or Parquet`);
  }
  // Milliseconds, as text.
  const madeAt = new Date(Number.parseInt(String(manifest.creationTimestamp), 10));
  if (Number.isNaN(madeAt.getTime())) throw refuse("it does not say when it was made");
  const columns = String(manifest.fileSchema ?? "")
    .split(",")
    .map((name) => name.trim());
  return { bucket, madeAt, format, columns, files: readFiles(manifest.files) };
}

interface ManifestJson {
  readonly sourceBucket?: unknown;
  readonly fileFormat?: unknown;
  readonly fileSchema?: unknown;
  readonly creationTimestamp?: unknown;
  readonly files?: unknown;
}

function parse(content: Buffer): ManifestJson {
  try {
    const manifest: unknown = JSON.parse(content.toString());
    if (typeof manifest === "object" && manifest !== null) return manifest;
  } catch {
    // The message below says enough.
  }
  throw refuse("it is not a JSON object");
}

function readFiles(files: unknown): readonly ReportFile[] {
  if (!Array.isArray(files)) throw refuse("it has no list of files");
  if (files.length === 0) throw refuse("it has no files: list the bucket in place of it");
  if (files.length > filesMax) {
    throw refuse(`it has ${files.length} files; need at most ${filesMax}`);
  }
  return files.map((file: { key?: unknown; size?: unknown; MD5checksum?: unknown } | null) => {
    const { key, size, MD5checksum: md5 } = file ?? {};
    if (typeof key !== "string" || typeof size !== "number" || typeof md5 !== "string") {
      throw refuse("it has a file without key, size or MD5checksum");
    }
    if (size > fileBytesMax) throw refuse(`${key} is ${size} bytes; need at most ${fileBytesMax}`);
    return { key, sizeBytes: size, md5: md5.toLowerCase() };
  });
}

function refuse(reason: string): StoreError {
  return new StoreError(`the manifest of the Inventory report cannot be used: ${reason}`);
}
