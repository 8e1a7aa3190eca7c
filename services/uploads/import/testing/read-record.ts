/** For tests: reads one line. */
import assert from "node:assert/strict";
import { lineBytesMax } from "../ndjson/read-lines.ts";
import { LineError, readRecord } from "../ndjson/read-record.ts";
import type { ImportRecord } from "../records/record.ts";

export const bucketId = "3f0f6c1e-58b3-4a6e-9d57-2f1f5f3a7c11";

/** An upload with the required members only. */
export const smallUpload = { path: "/a", filename: "b.txt", sizeBytes: 1 };

export function readText(text: string | Buffer, ofBucket: string | undefined = bucketId) {
  const bytes = Buffer.from(text);
  return readRecord({ number: 7, bytes, isTooLong: bytes.length > lineBytesMax }, ofBucket);
}

export function readLine(line: unknown) {
  return readText(JSON.stringify(line));
}

/** Asserts that reading a line throws a `LineError` with exactly this message. */
export function assertRejected(read: () => ImportRecord, reason: string | RegExp): LineError {
  let error: unknown;
  try {
    read();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof LineError, "the line is accepted");
  if (typeof reason === "string") assert.equal(error.message, reason);
  else assert.match(error.message, reason);
  return error;
}

export function many(length: number): string[] {
  return Array.from({ length }, (_, index) => `${index}`);
}
