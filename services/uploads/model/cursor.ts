import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { ApiError } from "./api-error.ts";
import type { Position } from "./upload-query.ts";

/** Most characters of a cursor. A filename of 1024 bytes and an ID of 128 fit. */
export const cursorLengthMax = 2048;

const version = 1;
const macBytes = 16;
const digestBytes = 16;
const headerBytes = 1 + macBytes + digestBytes;

/**
 * Writes a cursor: version, authentication code, digest of the query, position; in base64url.
 *
 * The code (HMAC-SHA-256, cut to 128 bits) covers all the rest, so a position cannot be made up and
 * a cursor cannot be carried to another query.
 */
export function encodeCursor(
  { sortKey, uploadId, asOfMicros }: Position,
  query: string,
  key: Uint8Array,
): string {
  const body = Buffer.concat([
    digestOf(query),
    Buffer.from([sortKey, uploadId, ...(asOfMicros === undefined ? [] : [asOfMicros])].join("\0")),
  ]);
  return Buffer.concat([Uint8Array.of(version), macOf(body, key), body]).toString("base64url");
}

/**
 * Reads a cursor. `query` is the canonical text of bucket, filters and sort.
 *
 * Throws `ApiError` CURSOR_MISMATCH, which does not say whether the cursor was changed, is of an
 * older version or belongs to another query: all that helps is to begin again.
 */
export function decodeCursor(cursor: string, query: string, key: Uint8Array): Position {
  const bytes = Buffer.from(cursor, "base64url");
  const body = bytes.subarray(1 + macBytes);
  const genuine =
    cursor.length <= cursorLengthMax &&
    bytes.length > headerBytes &&
    bytes.toString("base64url") === cursor &&
    bytes[0] === version &&
    timingSafeEqual(bytes.subarray(1, 1 + macBytes), macOf(body, key)) &&
    timingSafeEqual(body.subarray(0, digestBytes), digestOf(query));
  if (!genuine) throw mismatch();
  const [sortKey, uploadId, asOfMicros] = positionParts(bytes);
  if (sortKey === undefined || uploadId === undefined) throw mismatch();
  return { sortKey, uploadId, ...(asOfMicros === undefined ? {} : { asOfMicros }) };
}

/**
 * The time from which a list counts ages, as its first page had it. Undefined if the cursor has
 * none. Only `decodeCursor` finds whether the cursor is genuine.
 */
export function asOfCursor(cursor: string): bigint | undefined {
  const [, , asOfMicros] = positionParts(Buffer.from(cursor, "base64url"));
  return asOfMicros !== undefined && /^\d{1,17}$/.test(asOfMicros) ? BigInt(asOfMicros) : undefined;
}

function positionParts(cursor: Buffer): string[] {
  return cursor.subarray(headerBytes).toString().split("\0");
}

function digestOf(query: string): Buffer {
  return hash("sha256", query, "buffer").subarray(0, digestBytes);
}

function macOf(body: Uint8Array, key: Uint8Array): Buffer {
  const mac = createHmac("sha256", key).update(Uint8Array.of(version)).update(body).digest();
  return mac.subarray(0, macBytes);
}

function mismatch(): ApiError {
  const description =
    "does not belong to this query; need the nextCursor of the page before, with the same " +
    "bucket, filters and sort, or an empty cursor to begin again";
  return new ApiError("CURSOR_MISMATCH", `cursor: ${description}`, {
    violations: [{ field: "cursor", description }],
  });
}
