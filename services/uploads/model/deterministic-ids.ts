/**
 * The IDs of what is imported without one: UUIDs of version 5 (RFC 9562), made from names. The same
 * thing in the same place gets the same ID in every import.
 */
import { parse as uuidBytes, v5 as uuidOfName } from "uuid";

/** The ID of the folder at `path`, which must be normalised. */
export function deterministicFolderId(bucketId: string, path: string): string {
  return uuidOfName(`folder ${path}`, bucketId);
}

/** The ID of the upload of that name in the folder at `path`, which must be normalised. */
export function deterministicUploadId(bucketId: string, path: string, filename: string): string {
  const name = Buffer.from(`upload ${path === "/" ? "" : path}/${filename}`);
  return uuidOfName(name, namespaceOf(bucketId));
}

// Imports ask for many IDs of one bucket, and reading its ID takes as long as making one.
let lastNamespace = { bucketId: "", bytes: new Uint8Array() };

function namespaceOf(bucketId: string): Uint8Array {
  if (lastNamespace.bucketId !== bucketId) {
    lastNamespace = { bucketId, bytes: uuidBytes(bucketId) };
  }
  return lastNamespace.bytes;
}

/** The ID of an alias of an upload. */
export function deterministicAliasId(
  bucketId: string,
  uploadId: string,
  alias: { path: string; slug: string },
): string {
  // No text contains U+0000, so no two aliases have the same name.
  return uuidOfName(`alias ${uploadId}\0${alias.path}\0${alias.slug}`, bucketId);
}

/** The ID of the bucket with that host name, which must be in lower case. */
export function deterministicBucketId(hostname: string): string {
  return uuidOfName(hostname, bucketNamespace);
}

/** A random UUID. Changing it would change the ID of every bucket. */
const bucketNamespace = "0b7e5a3c-63f1-4c0e-9d0b-6a3f0c5b8f2d";
