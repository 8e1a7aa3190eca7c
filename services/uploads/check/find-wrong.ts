/** Lists and counts all derived data of the index that does not match its rows. */
import { formatCount, formatThings } from "../model/format.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { missingBits } from "./missing-bits.ts";
import { wrongSizes } from "./wrong-sizes.ts";
import { type WrongTotals, wrongTotals } from "./wrong-totals.ts";

export interface Wrong {
  /** IDs of buckets. */
  readonly sizes: ReadonlySet<string>;
  readonly totals: ReadonlySet<string>;
  readonly skipIndexes: ReadonlySet<string>;
}

/** At most this many errors of each kind are listed; the rest are only counted. */
const listedMax = 20;

/** Reads the whole index. Needs a snapshot. */
export async function findWrong(run: RunQuery, print: (line: string) => void): Promise<Wrong> {
  const hostnames = await hostnamesById(run);
  const bucketText = (bucketId: string) => `bucket ${hostnames.get(bucketId)} (${bucketId})`;
  const sizes = new Set<string>();
  const listSize = listing(print);
  for (const { bucketId, stored, counted } of await wrongSizes(run)) {
    sizes.add(bucketId);
    listSize(
      `${bucketText(bucketId)}: got ${stored.folders} folders and ${stored.uploads} uploads, ` +
        `need ${counted.folders} and ${counted.uploads}`,
    );
  }
  const totals = new Set<string>();
  const listTotals = listing(print);
  for await (const wrong of wrongTotals(run, listedMax)) {
    const { bucketId, path } = wrong;
    totals.add(bucketId);
    listTotals(
      `${bucketText(bucketId)}, totals of ${JSON.stringify(path)}: ${differentTotals(wrong)}`,
    );
  }
  const skipIndexes = new Set<string>();
  const listNGram = listing(print);
  for await (const { bucketId, nGram, sortBy } of missingBits(run)) {
    skipIndexes.add(bucketId);
    listNGram(
      `${bucketText(bucketId)}: searches with ${JSON.stringify(nGram)} by ${sortBy} miss uploads`,
    );
  }
  const wrong = sizes.union(totals).union(skipIndexes).size;
  print(`${formatThings(hostnames.size, "bucket")} compared, ${formatCount(wrong)} wrong`);
  return { sizes, totals, skipIndexes };
}

async function hostnamesById(run: RunQuery): Promise<ReadonlyMap<string, string>> {
  const rows = await run<{ bucketId: string; hostname: string }>(
    'select bucket_id as "bucketId", hostname from uploads.buckets',
  );
  return new Map(rows.map(({ bucketId, hostname }) => [bucketId, hostname]));
}

const totalNames = ["uploads", "bytes", "uploads of the subtree", "bytes of the subtree"] as const;

/** Only the numbers that differ: `got 2462 bytes, 26327 bytes of the subtree, need 2465, 26330`. */
function differentTotals({ stored, counted }: WrongTotals): string {
  const numbers = totalNames
    .map((name, index) => ({ name, got: stored[index], need: counted[index] }))
    .filter(({ got, need }) => got !== need);
  // Folders without uploads have no row.
  if (numbers.length === 0) return "got a row, need none";
  const got = numbers.map((each) => `${each.got} ${each.name}`).join(", ");
  return `got ${got}, need ${numbers.map(({ need }) => need).join(", ")}`;
}

/** `the sizes of 2 buckets, the totals of 1 bucket`; empty if nothing is wrong. */
export function wrongText({ sizes, totals, skipIndexes }: Wrong): string {
  const ofBuckets = (count: number) => `of ${count} ${count === 1 ? "bucket" : "buckets"}`;
  const parts: [count: number, text: string][] = [
    [sizes.size, `the sizes ${ofBuckets(sizes.size)}`],
    [totals.size, `the totals ${ofBuckets(totals.size)}`],
    [skipIndexes.size, `the skip indexes ${ofBuckets(skipIndexes.size)}`],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([, text]) => text)
    .join(", ");
}

/** Prints the first few lines. */
function listing(print: (line: string) => void): (line: string) => void {
  let count = 0;
  return (line) => {
    count += 1;
    if (count <= listedMax) print(line);
  };
}
