import type { AccessToken } from "@stowage/access-token";
import type { Call } from "../http/handler.ts";
import { ApiError } from "../model/api-error.ts";
import type { Database, ReadColumn, Run } from "../postgres/database.ts";
import { KnownAccess } from "./access-cache.ts";
import {
  type BucketAccess,
  type BucketName,
  type BucketQuestion,
  findBucketAccess,
} from "./bucket-lookup.ts";
import { grantedLocations } from "./grants.ts";
import { type View, viewOf } from "./visibility.ts";

/** A bucket that the caller may read, and what it may see there. */
export interface OpenBucket {
  readonly bucketId: string;
  readonly view: View;
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
  return openFor(caller, await findBucketAccess(run, questionOf(caller, name)));
}

/** What a statement read, and what the bucket's access version was when it did. */
export interface CheckedResult<Result> {
  readonly accessVersion: string | null;
  readonly result: Result;
}

/** An open bucket for a statement that is to select the question's `accessVersion` too. */
export interface CheckedBucket extends OpenBucket {
  readonly question: BucketQuestion;
}

/** Throws like `openBucket`, and what `work` throws; `work` may run twice. */
export type BucketReader = <Result>(
  call: Call,
  name: BucketName,
  work: (readColumn: ReadColumn, bucket: CheckedBucket) => Promise<CheckedResult<Result>>,
) => Promise<Result>;

/**
 * Reads buckets with one statement each, as a rule: by what is known of who sees what. The same
 * statement tells whether that still held, in the state of the database that it saw; if not, it is
 * found out anew and read again, in one state of the database.
 */
export function createBucketReader(database: Database): BucketReader {
  const known = new KnownAccess();

  return async ({ caller, signal }, name, work) => {
    const question = questionOf(caller, name);
    const workBy = async (readColumn: ReadColumn, access: BucketAccess | undefined) =>
      work(readColumn, { ...openFor(caller, access), question });

    const access = known.find(question);
    if (access !== undefined) {
      const seen = await database.read({ signal }, (_run, _copy, readColumn) =>
        workBy(readColumn, access).catch(refusedByGuess),
      );
      if (seen?.accessVersion === access.version) return seen.result;
    }
    return database.read({ signal, snapshot: true }, async (run, _copy, readColumn) => {
      const found = await findBucketAccess(run, question);
      known.set(question, found);
      return (await workBy(readColumn, found)).result;
    });
  };
}

// A refusal by what no longer holds counts for nothing.
function refusedByGuess(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}

function questionOf({ organisationId, clientId }: AccessToken, name: BucketName): BucketQuestion {
  if (organisationId === undefined) throw notFound();
  return { organisationId, clientId, name };
}

function openFor(caller: AccessToken, access: BucketAccess | undefined): OpenBucket {
  if (access === undefined) throw notFound();
  const { bucketId } = access;
  const locations = grantedLocations(caller.authorizationDetails, bucketId);
  if (locations.length === 0) throw notFound();
  return { bucketId, view: viewFor(caller, access, locations) };
}

/** Of callers without limits. What is known of a bucket belongs to one client. */
const wholeViews = new WeakMap<BucketAccess, View>();

function viewFor(caller: AccessToken, access: BucketAccess, locations: readonly string[]): View {
  const isWhole = locations.length === 1 && locations[0] === "/";
  const made = isWhole ? wholeViews.get(access) : undefined;
  if (made !== undefined) return made;
  const clientId = access.ownsIntegrations ? caller.clientId : undefined;
  const view = viewOf(locations, access.hiddenFolders, clientId, access.hidesUploads);
  if (isWhole) wholeViews.set(access, view);
  return view;
}

function notFound(): ApiError {
  return new ApiError(
    "BUCKET_NOT_FOUND",
    "no such bucket; need one of the token's organisation that the token may read",
  );
}
