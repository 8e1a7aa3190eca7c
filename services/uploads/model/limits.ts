/** Limits of the values that the index accepts (`api/proto`), also in requests. */
import { treeKey } from "./tree-key.ts";

/** In bytes of UTF-8. */
export const filenameBytesMax = 1024;
export const slugBytesMax = 1024;
export const uploadIdBytesMax = 128;
export const tagBytesMax = 256;
/** Part of an index entry, whose size is limited. */
export const organisationIdBytesMax = 512;

/** In elements or characters. */
export const tagsMax = 256;
export const metaUploadsMax = 256;
export const aliasesMax = 256;
export const hostnameLengthMax = 253;

/** PostgreSQL's limit for an index entry, less what an upload's other columns need there. */
export const indexEntryBytesMax = 2560;

/**
 * The bytes of UTF-8 that the path, the filename and the ID of an upload take in an index entry.
 * They fit within their own limits, except in a path with many of the characters U+0001 and U+0002,
 * which count twice.
 */
export function indexEntryBytes(path: string, filename: string, uploadId: string): number {
  return (
    Buffer.byteLength(treeKey(path)) + Buffer.byteLength(filename) + Buffer.byteLength(uploadId)
  );
}
