import type { RunQuery } from "../postgres/statements.ts";

export interface CheckedBucket {
  readonly bucketId: string;
  readonly bucketNumber: number;
  readonly hostname: string;
}

/** At most this many errors of each kind are listed; the rest are only counted. */
export const listedMax = 20;

/**
 * Compares one kind of derived data of a bucket with its rows. Returns what is wrong, at least some
 * of it: texts that follow the name of the bucket.
 */
export type Check = (run: RunQuery, bucket: CheckedBucket) => Promise<string[]>;
