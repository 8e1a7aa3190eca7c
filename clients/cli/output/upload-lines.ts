/** Formats uploads as lines, for people or as JSON. */
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { writeJson } from "@stowage/api/json/write-json";
import { type Upload, UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import { escapeName, formatSize } from "./format.ts";

interface UploadWriterOptions {
  /** One JSON object of the contract in each line; otherwise size, time and path. */
  readonly json: boolean | undefined;
  /** The time that a line shows. */
  readonly time: "createdAt" | "updatedAt";
}

export function uploadWriter(options: UploadWriterOptions): (uploads: readonly Upload[]) => string {
  const lineOf = options.json ? jsonLine : (upload: Upload) => plainLine(upload, options.time);
  return (uploads) => uploads.map((upload) => `${lineOf(upload)}\n`).join("");
}

function jsonLine(upload: Upload): string {
  return JSON.stringify(writeJson(UploadSchema, upload));
}

const sizeWidth = 9;

function plainLine(upload: Upload, time: "createdAt" | "updatedAt"): string {
  const { path, filename, sizeBytes } = upload;
  const wholePath = `${path === "/" ? "" : path}/${filename}`;
  const size = formatSize(sizeBytes).padStart(sizeWidth);
  return `${size}  ${formatTime(upload[time])}  ${escapeName(wholePath)}`;
}

/** RFC 3339 to the second, as `--from` and `--to` take it. */
function formatTime(time: Timestamp | undefined): string {
  if (time === undefined) return "-".padEnd("2026-11-21T12:00:00Z".length);
  return new Date(timestampMs(time)).toISOString().replace(/\.\d+Z$/, "Z");
}
