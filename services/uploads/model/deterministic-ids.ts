/**
 * The IDs of what comes without one. The same thing in the same place has the same ID in every
 * import: they are UUIDs of version 5 (RFC 9562), made from names.
 */
import { v5 as uuidOfName } from "uuid";

/** The ID of the folder at `path`, which must be normalised. */
export function madeFolderId(bucketId: string, path: string): string {
  return uuidOfName(`folder ${path}`, bucketId);
}

/** The ID of the upload of that name in the folder at `path`, which must be normalised. */
export function madeUploadId(bucketId: string, path: string, filename: string): string {
  return uuidOfName(`upload ${path === "/" ? "" : path}/${filename}`, bucketId);
}

/** The ID of an upload's further link. */
export function madeAliasId(
  bucketId: string,
  uploadId: string,
  alias: { path: string; slug: string },
): string {
  // No text holds U+0000, so no two links have the same name.
  return uuidOfName(`alias ${uploadId}\0${alias.path}\0${alias.slug}`, bucketId);
}

/** The ID of the bucket with that host name, which must be in lower case. */
export function madeBucketId(hostname: string): string {
  return uuidOfName(hostname, bucketNamespace);
}

/** Chosen once, at random; a change would give every bucket another ID. */
const bucketNamespace = "0b7e5a3c-63f1-4c0e-9d0b-6a3f0c5b8f2d";
