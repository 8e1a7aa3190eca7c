/**
 * The IDs of what is imported without one: UUIDs of version 5 (RFC 9562), made from names. The same
 * thing in the same place gets the same ID in every import.
 */
import { hash } from "node:crypto";

/** The ID of the folder at `path`, which must be normalised. */
export function deterministicFolderId(bucketId: string, path: string): string {
  return uuidOfName(`folder ${path}`, bucketId);
}

/** The ID of the upload of that name in the folder at `path`, which must be normalised. */
export function deterministicUploadId(bucketId: string, path: string, filename: string): string {
  return uuidOfName(`upload ${path === "/" ? "" : path}/${filename}`, bucketId);
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

const emptyNamespace = "0".repeat(16);

/** RFC 9562, 5.5. The library's takes more than twice as long, which listings of stores notice. */
function uuidOfName(name: string, namespace: string): string {
  const input = Buffer.from(emptyNamespace + name);
  input.write(namespace.replaceAll("-", ""), "hex");
  const digits = hash("sha1", input, "hex");
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
  const version = `5${digits.slice(13, 16)}`;
  const end = `${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${version}-${end}`;
}
