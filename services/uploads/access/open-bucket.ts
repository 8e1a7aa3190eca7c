/**
 * Finds what a caller may see of a bucket. `bucket-lookup.ts` finds the bucket of the token's
 * organisation and what integrations hide in it, and `grants.ts` the locations that the token
 * grants. `visibility.ts` combines both.
 */
import type { AccessToken } from "@stowage/access-token";
import { ApiError } from "../model/api-error.ts";
import type { RunQuery } from "../postgres/statements.ts";
import {
  type BucketAccess,
  type BucketLookup,
  type BucketName,
  findBucketAccess,
  readBucketAccess,
} from "./bucket-lookup.ts";
import { grantedLocations } from "./grants.ts";
import { type Visibility, visibilityOf } from "./visibility.ts";

/** A bucket that the caller may read, and what it may see there. */
export interface OpenBucket {
  readonly bucketId: string;
  /** What rows of folders and uploads have in place of the ID. */
  readonly bucketNumber: number;
  readonly visibility: Visibility;
}

/**
 * Finds the bucket for the caller. Throws `ApiError` BUCKET_NOT_FOUND alike for a bucket that does
 * not exist, belongs to another organisation or is not granted: nobody learns which buckets exist.
 */
export async function openBucket(
  run: RunQuery,
  caller: AccessToken,
  name: BucketName,
): Promise<OpenBucket> {
  return bucketFor(caller, await findBucketAccess(run, lookupOf(caller, name)));
}

/** Opens buckets of the token's organisation that the token grants something of, in their order. */
export async function openGrantedBuckets(
  run: RunQuery,
  caller: AccessToken,
  bucketIds: readonly string[],
): Promise<OpenBucket[]> {
  const all = await readBucketAccess(run, bucketIds, caller.clientId);
  return all.map((access) => bucketFor(caller, access));
}

/** Throws `ApiError` BUCKET_NOT_FOUND if the token is of no organisation. */
export function lookupOf(
  { organisationId, clientId }: AccessToken,
  name: BucketName,
): BucketLookup {
  if (organisationId === undefined) throw notFound();
  return { organisationId, clientId, name };
}

/** Throws `ApiError` BUCKET_NOT_FOUND if there is no access, or the token grants nothing there. */
export function bucketFor(caller: AccessToken, access: BucketAccess | undefined): OpenBucket {
  if (access === undefined) throw notFound();
  const { bucketId, bucketNumber, hiddenFolders, unrestricted } = access;
  const locations = grantedLocations(caller.authorizationDetails, bucketId);
  if (locations.length === 0) throw notFound();
  const bucket = { bucketId, bucketNumber };
  if (locations.length === 1 && locations[0] === "/")
    return { ...bucket, visibility: unrestricted };
  const { clientId, hidesUploads } = unrestricted;
  return { ...bucket, visibility: visibilityOf(locations, hiddenFolders, clientId, hidesUploads) };
}

function notFound(): ApiError {
  return new ApiError(
    "BUCKET_NOT_FOUND",
    "no such bucket; need one of the token's organisation that the token may read",
  );
}
