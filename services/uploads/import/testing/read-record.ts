/** For tests: one line, read. */
import assert from "node:assert/strict";
import { lineBytesMax } from "../read-lines.ts";
import { type LineContent, readRecord } from "../read-record.ts";

export const bucketId = "3f0f6c1e-58b3-4a6e-9d57-2f1f5f3a7c11";

/** An upload with nothing but what it needs. */
export const smallUpload = { path: "/a", filename: "b.txt", sizeBytes: 1 };

export function readText(text: string | Buffer, ofBucket: string | undefined = bucketId) {
  const bytes = Buffer.from(text);
  return readRecord({ number: 7, bytes, isTooLong: bytes.length > lineBytesMax }, ofBucket);
}

export function readLine(line: unknown) {
  return readText(JSON.stringify(line));
}

/** Asserts that a line was refused, for just this reason. */
export function assertRefused(content: LineContent, reason: string | RegExp): void {
  assert.ok("faults" in content, "the line was taken");
  const text = content.faults.join("; ");
  if (typeof reason === "string") assert.equal(text, reason);
  else assert.match(text, reason);
}

export function many(length: number): string[] {
  return Array.from({ length }, (_, index) => `${index}`);
}
