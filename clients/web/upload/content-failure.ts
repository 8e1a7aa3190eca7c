/** Why content cannot be shown or downloaded. */
import { ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus, errorFromJson } from "@connectrpc/connect/protocol-connect";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import type { Bucket } from "@stowage/api/stowage/v1/buckets_service_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";

/**
 * `notHeld`: the index knows the upload, but not its content. `changed`: since it was indexed.
 * `protected`: by a password. `unreadable`: the content is there, but is no such file.
 */
export type ContentFailure =
  | "notHeld"
  | "gone"
  | "changed"
  | "unavailable"
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

const failureOfReason: Readonly<Record<string, ContentFailure>> = {
  CONTENT_NOT_HELD: "notHeld",
  UPLOAD_NOT_FOUND: "gone",
  CONTENT_CHANGED: "changed",
};

/** Where the page's server gives out the content of an upload. */
export function contentHref({ bucketId }: Bucket, { uploadId }: Upload): string {
  return `/content/${bucketId}/${encodeURIComponent(uploadId)}`;
}

/** Whether a source has the content. Every such upload has this `contentUrl`, and no other has. */
export function isMirrored(bucket: Bucket, upload: Upload): boolean {
  return upload.contentUrl.endsWith(contentHref(bucket, upload));
}

/** Why there is no content; undefined if the first byte of it can be read. */
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

/** By the error that the service answered. */
export async function failureOf(response: Response): Promise<ContentFailure> {
  const code = codeFromHttpStatus(response.status);
  const fallback = new ConnectError(`The answer has status ${response.status}`, code);
  // A proxy on the way may answer with a page of its own.
  const body: unknown = await response.json().catch(() => undefined);
  const error = errorOf(body, response.headers, fallback);
  const reason = error.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
  return Object.hasOwn(failureOfReason, reason)
    ? (failureOfReason[reason] ?? "unavailable")
    : "unavailable";
}

function errorOf(body: unknown, headers: Headers, fallback: ConnectError): ConnectError {
  try {
    return errorFromJson(body as Parameters<typeof errorFromJson>[0], headers, fallback);
  } catch {
    return fallback;
  }
}
