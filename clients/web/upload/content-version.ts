import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";

/** Another text when the content has changed, as far as the index tells. */
export function contentVersionOf({ sizeBytes, updatedAt, intentMetadata }: Upload): string {
  const etag = intentMetadata.s3?.etag;
  return JSON.stringify([`${sizeBytes}`, `${updatedAt?.seconds}`, updatedAt?.nanos, etag]);
}
