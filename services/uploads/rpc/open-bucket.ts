import type { AccessToken } from "@stowage/access-token";
import { grantedLocations } from "../domain/grants.ts";
import { Refusal } from "../domain/refusal.ts";
import { type View, viewOf } from "../domain/view.ts";
import type { Run } from "../store/database.ts";
import { type BucketName, findBucket } from "../store/find-bucket.ts";
import { hiddenFolders } from "../store/hidden-folders.ts";

/** A bucket that the caller may read, and what it may see there. */
export interface OpenBucket {
  readonly bucketId: string;
  readonly view: View;
}

/**
 * Finds the bucket for the caller. Throws `Refusal` BUCKET_NOT_FOUND alike for a bucket that does
 * not exist, belongs to another organisation or is not granted: nobody learns which buckets exist.
 */
export async function openBucket(
  run: Run,
  caller: AccessToken,
  name: BucketName,
): Promise<OpenBucket> {
  const { organisationId, clientId, authorizationDetails } = caller;
  const bucketId =
    organisationId === undefined ? undefined : await findBucket(run, organisationId, name);
  const locations = bucketId === undefined ? [] : grantedLocations(authorizationDetails, bucketId);
  if (bucketId === undefined || locations.length === 0) {
    throw new Refusal(
      "BUCKET_NOT_FOUND",
      "no such bucket; need one of the token's organisation that the token may read",
    );
  }
  const hidden = await hiddenFolders(run, bucketId, clientId);
  return { bucketId, view: viewOf(locations, hidden, clientId) };
}
