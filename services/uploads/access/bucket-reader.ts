/**
 * Reads a bucket by cached access, usually with one statement. The statement also returns the
 * current access version, which shows whether the cached access was still valid. If it was not,
 * access and result are read again, in one snapshot.
 */
import type { Call } from "../calls/handler.ts";
import type { DatabaseForCaller } from "../fairness/fair-pool.ts";
import { ApiError } from "../model/api-error.ts";
import type { Database } from "../postgres/database.ts";
import type { ReadColumn } from "../postgres/statements.ts";
import { AccessCache } from "./access-cache.ts";
import {
  type BucketAccess,
  type BucketLookup,
  type BucketName,
  findBucketAccess,
} from "./bucket-lookup.ts";
import { bucketFor, lookupOf, type OpenBucket } from "./open-bucket.ts";

/** How long the statements of a connection may take: milliseconds, or up to a time limit. */
type Duration = "short" | "long";

/** What a statement read, and the access version of the bucket at that moment. */
interface VersionedResult<Result> {
  readonly accessVersion: string | null;
  /** Undefined if only long statements can find it. */
  readonly result: Result | undefined;
}

/**
 * Reads the result on a connection for short statements. If it finds none there, it is called again
 * with a connection for long statements, continues there, and must find it.
 */
export type ReadResult<Result> = (
  readColumn: ReadColumn,
  duration: Duration,
) => Promise<VersionedResult<Result>>;

/** An open bucket for a statement that also selects the access version of the lookup. */
export interface VersionedBucket extends OpenBucket {
  readonly lookup: BucketLookup;
}

/** Called again, with the bucket as it is now, if the access has changed. */
export type StartRead<Result> = (bucket: VersionedBucket) => ReadResult<Result>;

/**
 * Throws what `openBucket`, `startRead` and the function that it returns throw. With `inSnapshot`,
 * all statements on one connection see one state of the database.
 */
export type BucketReader = <Result>(
  call: Call,
  name: BucketName,
  startRead: StartRead<Result>,
  options?: { readonly inSnapshot?: boolean },
) => Promise<Result>;

interface ReaderOptions {
  /** For statements that take milliseconds. */
  readonly short: DatabaseForCaller;
  /** For others. A call never holds a connection of one pool while it waits for the other. */
  readonly long: DatabaseForCaller;
  /** How long a call may use a connection of `long`. Then `ApiError` LIST_TOO_EXPENSIVE. */
  readonly longTimeoutMs: number;
}

/** Makes a reader with a cache of its own. */
export function createBucketReader(options: ReaderOptions): BucketReader {
  const cache = new AccessCache();

  return async <Result>(
    { caller, signal, record }: Call,
    name: BucketName,
    startRead: StartRead<Result>,
    { inSnapshot = false } = {},
  ) => {
    const lookup = lookupOf(caller, name);
    const readWith = async (
      access: BucketAccess | undefined,
      readColumn: ReadColumn,
      duration: Duration,
    ) => {
      const bucket = bucketFor(caller, access);
      record.bucketId = bucket.bucketId;
      const read = startRead({ ...bucket, lookup });
      const { accessVersion, result } = await read(readColumn, duration);
      return { accessVersion, result, read };
    };
    const readInSnapshot = (database: Database, duration: Duration) =>
      database.read({ signal, snapshot: true }, async ({ run, readColumn }) => {
        // The plans that were tried with outdated access are not reported.
        record.plans = [];
        const access = await findBucketAccess(run, lookup);
        cache.set(lookup, access);
        return readWith(access, readColumn, duration);
      });

    const short = options.short(caller);
    const cached = inSnapshot ? undefined : cache.find(lookup);
    let first: Awaited<ReturnType<typeof readWith>> | undefined;
    if (cached !== undefined) {
      first = await short.read({ signal }, ({ readColumn }) =>
        readWith(cached, readColumn, "short").catch(ignoreRefusal),
      );
      if (first?.accessVersion !== cached.version) first = undefined;
    }
    first ??= await readInSnapshot(short, "short");
    if (first.result !== undefined) return first.result;

    const { read, accessVersion } = first;
    const long = withinTime(options.long(caller), options.longTimeoutMs);
    if (inSnapshot) return requireResult(await readInSnapshot(long, "long"));
    const last = await long.read({ signal }, ({ readColumn }) => read(readColumn, "long"));
    if (last.accessVersion === accessVersion) return requireResult(last);
    return requireResult(await readInSnapshot(long, "long"));
  };
}

function requireResult<Result>({ result }: VersionedResult<Result>): Result {
  if (result !== undefined) return result;
  throw new Error("Cannot read a bucket: long statements returned no result, need one");
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

// A refusal may be due to outdated access: the read is repeated. An outage is thrown at once.
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.reason === "DATABASE_UNAVAILABLE") throw error;
}
