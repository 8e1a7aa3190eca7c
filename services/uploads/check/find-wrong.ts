/** Lists and counts all derived data of the index that does not match its rows. */
import { formatCount, formatThings } from "../model/format.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { type Check, type CheckedBucket, listedMax } from "./check-bucket.ts";
import { missingBits } from "./missing-bits.ts";
import { wrongPositions } from "./wrong-positions.ts";
import { wrongSizes } from "./wrong-sizes.ts";
import { wrongTotals } from "./wrong-totals.ts";

type Kind = "sizes" | "positions" | "totals" | "skip indexes";

const checks: readonly (readonly [Kind, Check])[] = [
  ["sizes", wrongSizes],
  ["positions", wrongPositions],
  ["totals", wrongTotals],
  ["skip indexes", missingBits],
];

/** The buckets for which data of each kind is wrong. */
export type Wrong = ReadonlyMap<Kind, ReadonlySet<CheckedBucket>>;

/** Reads the whole index. Needs a snapshot. */
export async function findWrong(run: RunQuery, print: (line: string) => void): Promise<Wrong> {
  const buckets = await run<CheckedBucket>(
    `select bucket_id as "bucketId", bucket_number as "bucketNumber", hostname
    from uploads.buckets order by hostname`,
  );
  const wrong = new Map<Kind, Set<CheckedBucket>>();
  for (const [kind, check] of checks) {
    const ofKind = new Set<CheckedBucket>();
    let listed = 0;
    for (const bucket of buckets) {
      const errors = await check(run, bucket);
      if (errors.length > 0) ofKind.add(bucket);
      for (const error of errors.slice(0, listedMax - listed)) {
        print(`bucket ${bucket.hostname} (${bucket.bucketId})${error}`);
        listed += 1;
      }
    }
    wrong.set(kind, ofKind);
  }
  const count = wrongBuckets(wrong).size;
  print(`${formatThings(buckets.length, "bucket")} compared, ${formatCount(count)} wrong`);
  return wrong;
}

/** The buckets with anything that is wrong. */
export function wrongBuckets(wrong: Wrong): ReadonlySet<CheckedBucket> {
  return new Set([...wrong.values()].flatMap((ofKind) => [...ofKind]));
}

/** `the sizes of 2 buckets, the totals of 1 bucket`; empty if nothing is wrong. */
export function wrongText(wrong: Wrong): string {
  return [...wrong]
    .filter(([, { size }]) => size > 0)
    .map(([kind, { size }]) => `the ${kind} of ${formatThings(size, "bucket")}`)
    .join(", ");
}
