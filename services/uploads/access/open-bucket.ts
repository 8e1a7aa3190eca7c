/**
 * From a token and the name of a bucket to what the caller may see there: the bucket of the token's
 * organisation and what integrations hide in it (`bucket-lookup.ts`), the locations that the token
 * grants (`grants.ts`), and both together as the caller's visibility (`visibility.ts`).
 */
import type { AccessToken } from "@stowage/access-token";
import type { DatabaseOf } from "../fairness/shared-pool.ts";
import type { Call } from "../http/handler.ts";
import { ApiError } from "../model/api-error.ts";
import type { ReadColumn, Run } from "../postgres/database.ts";
import { AccessCache } from "./access-cache.ts";
import {
  type BucketAccess,
  type BucketLookup,
  type BucketName,
  findBucketAccess,
  visibilityWithin,
} from "./bucket-lookup.ts";
import { grantedLocations } from "./grants.ts";
import type { Visibility } from "./visibility.ts";

/** A bucket that the caller may read, and what it may see there. */
export interface OpenBucket {
  readonly bucketId: string;
  readonly visibility: Visibility;
}

/**
 * Finds the bucket for the caller. Throws `ApiError` BUCKET_NOT_FOUND alike for a bucket that does
 * not exist, belongs to another organisation or is not granted: nobody learns which buckets exist.
 */
export async function openBucket(
  run: Run,
  caller: AccessToken,
  name: BucketName,
): Promise<OpenBucket> {
  return openFor(caller, await findBucketAccess(run, lookupOf(caller, name)));
}

/** The result of a statement, and the access version of the bucket at that moment. */
interface VersionedResult<Result> {
  readonly accessVersion: string | null;
  readonly result: Result;
}

/** An open bucket for a statement that also selects the access version of the lookup. */
interface VersionedBucket extends OpenBucket {
  readonly lookup: BucketLookup;
}

/** Throws what `openBucket` and `work` throw. `work` may run twice. */
export type BucketReader = <Result>(
  call: Call,
  name: BucketName,
  work: (readColumn: ReadColumn, bucket: VersionedBucket) => Promise<VersionedResult<Result>>,
) => Promise<Result>;

/**
 * Reads buckets with one statement each, as a rule, by cached access. The statement also tells
 * whether the access was still valid in the state of the database that it read. If not, access and
 * result are read again, in one snapshot.
 */
export function createBucketReader(databaseOf: DatabaseOf): BucketReader {
  const cache = new AccessCache();

  return async ({ caller, signal, details }, name, work) => {
    const lookup = lookupOf(caller, name);
    const database = databaseOf(caller);
    const workWith = async (readColumn: ReadColumn, access: BucketAccess | undefined) => {
      const bucket = openFor(caller, access);
      details.bucketId = bucket.bucketId;
      return work(readColumn, { ...bucket, lookup });
    };

    const cached = cache.find(lookup);
    if (cached !== undefined) {
      const read = await database.read({ signal }, ({ readColumn }) =>
        workWith(readColumn, cached).catch(ignoreApiError),
      );
      if (read?.accessVersion === cached.version) return read.result;
    }
    return database.read({ signal, snapshot: true }, async ({ run, readColumn }) => {
      const access = await findBucketAccess(run, lookup);
      cache.set(lookup, access);
      return (await workWith(readColumn, access)).result;
    });
  };
}

// An error by outdated access means nothing.
function ignoreApiError(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}

function lookupOf({ organisationId, clientId }: AccessToken, name: BucketName): BucketLookup {
  if (organisationId === undefined) throw notFound();
  return { organisationId, clientId, name };
}

function openFor(caller: AccessToken, access: BucketAccess | undefined): OpenBucket {
  if (access === undefined) throw notFound();
  const { bucketId } = access;
  const locations = grantedLocations(caller.authorizationDetails, bucketId);
  if (locations.length === 0) throw notFound();
  const isUnrestricted = locations.length === 1 && locations[0] === "/";
  return {
    bucketId,
    visibility: isUnrestricted ? access.unrestricted : visibilityWithin(locations, access),
  };
}

function notFound(): ApiError {
  return new ApiError(
    "BUCKET_NOT_FOUND",
    "no such bucket; need one of the token's organisation that the token may read",
  );
}
