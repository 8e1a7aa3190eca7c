/** Finds the object whose content a request asks for. */
import type { AccessToken } from "@stowage/access-token";
import type { BucketName } from "../access/bucket-lookup.ts";
import { openBucket } from "../access/open-bucket.ts";
import { isShownTo, isUploadInRanges, visibilityParameters } from "../access/visibility.ts";
import { ApiError, uploadNotFound } from "../model/api-error.ts";
import type { NamedValues } from "../postgres/named-parameters.ts";
import type { RunQuery } from "../postgres/statements.ts";
import type { Location } from "../sources/source.ts";

/** The object that an upload represents, as recorded in the index. */
export interface Content {
  readonly bucketId: string;
  readonly organisationId: string;
  /** Of the upload. The key of the object follows from them. */
  readonly path: string;
  readonly filename: string;
  readonly sizeBytes: number;
  /** The time of the last change, in microseconds since 1970. */
  readonly updatedAtMicros: bigint;
  /** Of an object in an S3 store. */
  readonly s3: { readonly etag: string; readonly versionId?: string } | undefined;
  readonly mountPath: string;
  readonly location: Location;
}

/**
 * The content for a caller with a token. Throws `ApiError` BUCKET_NOT_FOUND, UPLOAD_NOT_FOUND and
 * CONTENT_NOT_HELD.
 */
export async function findForCaller(
  run: RunQuery,
  caller: AccessToken,
  bucketName: BucketName,
  uploadId: string,
): Promise<Content> {
  const { bucketId, bucketNumber, visibility } = await openBucket(run, caller, bucketName);
  const isVisible = `${isUploadInRanges} and ${isShownTo(visibility)}`;
  const values = { bucketNumber, ...visibilityParameters(visibility) };
  return findContent(run, bucketId, uploadId, isVisible, values);
}

/** The content for anyone with a link. Throws `ApiError` UPLOAD_NOT_FOUND and CONTENT_NOT_HELD. */
export function findForLink(run: RunQuery, bucketId: string, uploadId: string): Promise<Content> {
  return findContent(run, bucketId, uploadId);
}

async function findContent(
  run: RunQuery,
  bucketId: string,
  uploadId: string,
  isVisible = "true",
  values: NamedValues = {},
): Promise<Content> {
  const [row] = await run<ContentRow>(
    `select b.organisation_id, u.path, u.filename, u.size_bytes, u.intent_metadata -> 's3' as s3,
      (extract(epoch from u.updated_at) * 1000000)::bigint as updated_at_micros,
      s.mount_path, s.location
    from uploads.buckets b
    join uploads.uploads u on u.bucket_number = b.bucket_number and u.upload_id = :uploadId
    left join uploads.sources s on s.bucket_id = b.bucket_id and s.source_id = u.source_id
    where b.bucket_id = :bucketId and ${isVisible}`,
    { bucketId, uploadId, ...values },
  );
  if (row === undefined) throw uploadNotFound();
  if (row.location === null || row.mount_path === null) {
    const message = "the index has the upload, but no source that holds its content";
    throw new ApiError("CONTENT_NOT_HELD", message);
  }
  return {
    bucketId,
    organisationId: row.organisation_id,
    path: row.path,
    filename: row.filename,
    sizeBytes: Number(row.size_bytes),
    updatedAtMicros: BigInt(row.updated_at_micros),
    s3: row.s3 ?? undefined,
    mountPath: row.mount_path,
    location: row.location,
  };
}

interface ContentRow {
  readonly organisation_id: string;
  readonly path: string;
  readonly filename: string;
  readonly size_bytes: string;
  readonly updated_at_micros: string;
  readonly s3: { etag: string; versionId?: string } | null;
  readonly mount_path: string | null;
  readonly location: Location | null;
}

export function contentChanged(cause: unknown): ApiError {
  const message =
    "the object was changed or removed since it was indexed; list it again after the next sync";
  return new ApiError("CONTENT_CHANGED", message, { cause });
}
