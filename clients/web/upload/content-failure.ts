/** Why content cannot be shown or downloaded. */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { errorOfResponse, isUnauthenticated } from "../api/call-error.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { strings } from "../text/strings.ts";

/**
 * `notHeld`: the index knows the upload, but not its content. `changed`: since it was indexed.
 * `archived`: in its store. `tooMany`: calls at once. `signedOut`: the session has ended.
 * `protected`: by a password. `unreadable`: the content is there, but is no such file.
 */
export type ContentFailure =
  | "notHeld"
  | "gone"
  | "changed"
  | "archived"
  | "unavailable"
  | "tooMany"
  | "signedOut"
  | "protected"
  | "unreadable";

export class ContentError extends Error {
  override readonly name = "ContentError";
  readonly failure: ContentFailure;

  constructor(failure: ContentFailure) {
    super(failure);
    this.failure = failure;
  }
}

const failureOfReason: ReadonlyMap<string, ContentFailure> = new Map([
  ["CONTENT_NOT_HELD", "notHeld"],
  ["UPLOAD_NOT_FOUND", "gone"],
  ["CONTENT_CHANGED", "changed"],
  ["CONTENT_ARCHIVED", "archived"],
]);

/** What the page says about a failure. */
export function failureText(failure: ContentFailure, { intentMetadata }: Upload): string {
  const text = strings.preview.failures[failure];
  const storageClass = intentMetadata.s3?.storageClass;
  if (failure !== "archived" || typeof storageClass !== "string") return text;
  return `${text} ${strings.preview.storageClass(storageClass)}`;
}

/** Where the page's server gives out the content of an upload. */
export function contentHref({ bucketId }: Bucket, { uploadId }: Upload): string {
  return `/content/${bucketId}/${encodeURIComponent(uploadId)}`;
}

/** Whether a source has the content. Every such upload has this `contentUrl`, and no other has. */
export function isMirrored(bucket: Bucket, upload: Upload): boolean {
  return upload.contentUrl.endsWith(contentHref(bucket, upload));
}

/** Why there is no content; undefined if the first byte of it can be read. Fails as `failureOf`. */
export async function readFailure(
  href: string,
  signal: AbortSignal,
): Promise<ContentFailure | undefined> {
  const response = await fetch(href, { signal, headers: { range: "bytes=0-0" } });
  // An empty file has no first byte.
  if (response.ok || response.status === 416) {
    await response.body?.cancel();
    return undefined;
  }
  return failureOf(response);
}

/**
 * By the error that the service answered.
 *
 * @throws {CallError} if the session has ended, which the page tells for all calls in one place
 */
export async function failureOf(response: Response): Promise<ContentFailure> {
  const error = await errorOfResponse(response);
  if (isUnauthenticated(error)) throw error;
  if (response.status === 429) return "tooMany";
  return failureOfReason.get(error.reason) ?? "unavailable";
}
