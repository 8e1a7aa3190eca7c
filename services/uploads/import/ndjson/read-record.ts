/** One line of NDJSON, from bytes to a checked and complete record. */
import { isUtf8 } from "node:buffer";
import type { JsonObject } from "@bufbuild/protobuf";
import { JsonFieldError } from "@stowage/api/json/field-violations";
import { JsonTextError, parseJson } from "@stowage/api/json/parse-json";
import { readJson } from "@stowage/api/json/read-json";
import { writeJson } from "@stowage/api/json/write-json";
import { type Line, LineSchema } from "@stowage/api/stowage/ingest/v1/line_pb";
import { NIL as anyBucketId } from "uuid";
import { checkRecord } from "../records/check-record.ts";
import type { ImportRecord } from "../records/record.ts";
import { lineBytesMax, type TextLine } from "./read-lines.ts";

/** A line that cannot be imported. The message has all reasons. */
export class LineError extends Error {
  override readonly name = "LineError";
  /** Whether the line is, or may have been meant as, a `bucket` line. */
  readonly mayBeBucket: boolean;

  constructor(reason: string, mayBeBucket: boolean) {
    super(reason);
    this.mayBeBucket = mayBeBucket;
  }
}

/** No shorter line grows to more than `lineBytesMax` when it is exported. */
const checkedFromBytes = 1024 * 1024;

/** Leaves room for what a source may add to an upload, and for missing times. */
const exportedBytesMax = lineBytesMax - 64 * 1024;

/**
 * Reads a line that is not empty. Throws `LineError`.
 *
 * @param bucketId the bucket of the line, unless it is a `bucket` line; undefined if it has none.
 */
export function readRecord(line: TextLine, bucketId: string | undefined): ImportRecord {
  if (line.isTooLong) throw unreadable(line, `is longer than ${lineBytesMax} bytes`);
  if (!isUtf8(line.bytes)) throw unreadable(line, "is not valid UTF-8");
  const { json, message } = parseLine(line);
  const reasons: string[] = [];
  const place = { line: line.number, bucketId: bucketId ?? anyBucketId };
  const record = checkRecord(message, json, place, (field, got, need) => {
    reasons.push(`${field}: got ${got}, need ${need}`);
  });
  const kind = message.record.case;
  if (kind === undefined) {
    reasons.push("got none of bucket, integration, folder, upload and delete, need one");
  }
  if (kind !== "bucket" && bucketId === undefined) {
    reasons.push("belongs to no bucket; need a bucket line above it, or --bucket");
  }
  if (line.bytes.length > checkedFromBytes && reasons.length === 0) {
    const sizeBytes = exportedBytes(message);
    if (sizeBytes > exportedBytesMax) {
      reasons.push(`has ${sizeBytes} bytes when exported; need at most ${exportedBytesMax}`);
    }
  }
  if (record !== undefined && reasons.length === 0) return record;
  throw new LineError(reasons.join("; "), kind === "bucket");
}

function parseLine(line: TextLine) {
  try {
    const json = parseJson(line.bytes.toString());
    return { json: json as JsonObject, message: readJson(LineSchema, json) };
  } catch (error) {
    if (!(error instanceof JsonTextError || error instanceof JsonFieldError)) throw error;
    throw unreadable(line, withoutLineNumber(error.message));
  }
}

/** Without the place that the parser adds: its line numbers count within this line of the file. */
function withoutLineNumber(message: string): string {
  return message.replace(/ \(line \d+ column \d+\)$/, "");
}

function exportedBytes(message: Line): number {
  return Buffer.byteLength(JSON.stringify(writeJson(LineSchema, message)));
}

// A line that cannot be read may have been a bucket line. If it was, the lines after it do not
// belong to the bucket before it.
function unreadable(line: TextLine, reason: string): LineError {
  return new LineError(reason, mayBeBucket(line.bytes.toString()));
}

/** Members that only `bucket` lines have. */
const bucketMembers = /"(bucket|bucketId|hostname|organisationId)"\s*:/i;

function mayBeBucket(text: string): boolean {
  return !isOtherRecord(text) && bucketMembers.test(text);
}

function isOtherRecord(text: string): boolean {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== "object" || json === null || "bucket" in json) return false;
    return ["upload", "folder", "integration", "delete"].some((kind) => kind in json);
  } catch {
    return false;
  }
}
