/** One line of NDJSON, from bytes to a record that is complete and checked. */
import { isUtf8 } from "node:buffer";
import type { JsonObject } from "@bufbuild/protobuf";
import { JsonFieldError } from "@stowage/api/json/field-violations";
import { JsonTextError, parseJson } from "@stowage/api/json/parse-json";
import { readJson } from "@stowage/api/json/read-json";
import { type Line, LineSchema } from "@stowage/api/stowage/ingest/v1/line_pb";
import { NIL as anyBucketId } from "uuid";
import { checkBucket } from "./check-bucket.ts";
import { checkFolder } from "./check-folder.ts";
import { checkIntegration } from "./check-integration.ts";
import { checkUpload } from "./check-upload.ts";
import { faultText, type Refuse } from "./fault.ts";
import { lineBytesMax, type TextLine } from "./read-lines.ts";
import type { ImportRecord } from "./records.ts";

/** What a line holds: a record, or what is wrong with it. */
export type LineContent =
  | { readonly record: ImportRecord }
  | { readonly faults: readonly string[]; readonly mayBeBucket: boolean };

/**
 * Reads a line that is not empty.
 *
 * @param bucketId the bucket that the line belongs to, unless it is a `bucket` line itself;
 *   undefined where there is none.
 */
export function readRecord(line: TextLine, bucketId: string | undefined): LineContent {
  if (line.isTooLong) return unreadable(line, `is longer than ${lineBytesMax} bytes`);
  if (!isUtf8(line.bytes)) return unreadable(line, "is not valid UTF-8");
  try {
    const json = parseJson(line.bytes.toString());
    return checkLine(readJson(LineSchema, json), json as JsonObject, line.number, bucketId);
  } catch (error) {
    if (error instanceof JsonTextError) return unreadable(line, error.message);
    if (!(error instanceof JsonFieldError)) throw error;
    return unreadable(line, error.message);
  }
}

function checkLine(
  { record }: Line,
  json: JsonObject,
  line: number,
  bucketId: string | undefined,
): LineContent {
  const faults: string[] = [];
  const refuse: Refuse = (...fault) => faults.push(faultText(...fault));
  const content = json[record.case ?? ""] as JsonObject;
  const place = { line, bucketId: bucketId ?? anyBucketId };
  const checked = (): ImportRecord | undefined => {
    switch (record.case) {
      case "bucket":
        return checkBucket(record.value, content, line, refuse);
      case "integration":
        return {
          kind: "integration",
          ...place,
          integration: checkIntegration(record.value, content, refuse),
        };
      case "folder":
        return {
          kind: "folder",
          ...place,
          folder: checkFolder(record.value, content, place.bucketId, refuse),
        };
      case "upload":
        return {
          kind: "upload",
          ...place,
          upload: checkUpload(record.value, content, place.bucketId, refuse),
        };
      case undefined:
        faults.push("got none of bucket, integration, folder and upload, need one");
        return undefined;
    }
  };
  const result = checked();
  if (record.case !== "bucket" && bucketId === undefined) {
    faults.push("belongs to no bucket; need a bucket line above it, or --bucket");
  }
  if (result !== undefined && faults.length === 0) return { record: result };
  return { faults, mayBeBucket: record.case === "bucket" };
}

// Of a line that could not be understood, nobody knows what it was meant to be. A bucket line that
// is passed over must not leave the lines after it to the bucket before.
function unreadable(line: TextLine, fault: string): LineContent {
  return { faults: [fault], mayBeBucket: mayBeBucket(line.bytes.toString()) };
}

/** Members that stand in `bucket` lines and in no others. */
const bucketMembers = /"(bucket|bucketId|hostname|organisationId)"\s*:/i;

function mayBeBucket(text: string): boolean {
  return !isOtherRecord(text) && bucketMembers.test(text);
}

function isOtherRecord(text: string): boolean {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== "object" || json === null || "bucket" in json) return false;
    return "upload" in json || "folder" in json || "integration" in json;
  } catch {
    // Not JSON: what it looks like has to do.
    return false;
  }
}
