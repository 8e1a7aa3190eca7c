/**
 * Reads buckets with one statement each, as a rule, by cached access. The statement also tells
 * whether the access was still valid in the state of the database that it read. If not, access and
 * result are read again, in one snapshot.
 */
import type { DatabaseOf } from "../fairness/shared-pool.ts";
import type { Call } from "../http/handler.ts";
import { ApiError } from "../model/api-error.ts";
import type { Database } from "../postgres/database.ts";
import type { ReadColumn, Statements } from "../postgres/statements.ts";
import { AccessCache } from "./access-cache.ts";
import {
  type BucketAccess,
  type BucketLookup,
  type BucketName,
  findBucketAccess,
} from "./bucket-lookup.ts";
import { bucketFor, lookupOf, type OpenBucket } from "./open-bucket.ts";

/** What a statement read, and the access version of the bucket at that moment. */
interface Versioned {
  readonly accessVersion: string | null;
}

export interface VersionedResult<Result> extends Versioned {
  readonly result: Result;
}

/** No result yet: finding it needs statements that may take long. */
interface LongRead<Result> extends Versioned {
  readonly readLong: (readColumn: ReadColumn) => Promise<VersionedResult<Result>>;
}

/** An open bucket for a statement that also selects the access version of the lookup. */
export interface VersionedBucket extends OpenBucket {
  readonly lookup: BucketLookup;
}

type Work<Result> = (
  readColumn: ReadColumn,
  bucket: VersionedBucket,
) => Promise<VersionedResult<Result> | LongRead<Result>>;

/** Throws what `openBucket` and `work` throw. `work` may run several times. */
export type BucketReader = <Result>(
  call: Call,
  name: BucketName,
  work: Work<Result>,
) => Promise<Result>;

interface ReaderOptions {
  /** For statements that take milliseconds. */
  readonly short: DatabaseOf;
  /** For others. A call never holds a connection of one pool while it waits for the other. */
  readonly long: DatabaseOf;
  /** How long a call may use a connection of `long`. Then `ApiError` LIST_TOO_EXPENSIVE. */
  readonly longTimeoutMs: number;
}

/** Makes a reader with a cache of its own. */
export function createBucketReader(options: ReaderOptions): BucketReader {
  const cache = new AccessCache();

  return async <Result>(
    { caller, signal, details }: Call,
    name: BucketName,
    work: Work<Result>,
  ) => {
    const lookup = lookupOf(caller, name);
    const short = options.short(caller);
    const workWith = async (readColumn: ReadColumn, access: BucketAccess | undefined) => {
      const bucket = bucketFor(caller, access);
      details.bucketId = bucket.bucketId;
      return work(readColumn, { ...bucket, lookup });
    };
    const workInSnapshot = async ({ run, readColumn }: Statements) => {
      // Discard the plans of a read with outdated access.
      details.plans.length = 0;
      const access = await findBucketAccess(run, lookup);
      cache.set(lookup, access);
      return workWith(readColumn, access);
    };

    const cached = cache.find(lookup);
    let read: VersionedResult<Result> | LongRead<Result> | undefined;
    if (cached !== undefined) {
      read = await short.read({ signal }, ({ readColumn }) =>
        workWith(readColumn, cached).catch(ignoreRefusal),
      );
      if (read?.accessVersion !== cached.version) read = undefined;
    }
    read ??= await short.read({ signal, snapshot: true }, workInSnapshot);
    if ("result" in read) return read.result;

    const long = withinTime(options.long(caller), options.longTimeoutMs);
    const { readLong, accessVersion } = read;
    const last = await long.read({ signal }, ({ readColumn }) => readLong(readColumn));
    if (last.accessVersion === accessVersion) return last.result;
    return long.read({ signal, snapshot: true }, async (statements) => {
      const again = await workInSnapshot(statements);
      return "result" in again
        ? again.result
        : (await again.readLong(statements.readColumn)).result;
    });
  };
}

/** The same database with a time limit on reads. Waiting for a connection does not count. */
function withinTime(database: Database, timeoutMs: number): Database {
  return {
    async read({ signal, snapshot }, work) {
      const time = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      try {
        const both = AbortSignal.any([signal, time.signal]);
        return await database.read({ signal: both, snapshot }, (statements) => {
          timer = setTimeout(() => time.abort(tooExpensive()), timeoutMs);
          return work(statements);
        });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function tooExpensive(): ApiError {
  return new ApiError(
    "LIST_TOO_EXPENSIVE",
    "finding the page takes too long; name a folder, search for a longer text, limit the dates, " +
      "or use another order",
  );
}

// An error by outdated access means nothing. An outage is one whatever the access is.
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.reason === "DATABASE_UNAVAILABLE") throw error;
}
