/** Lists and counts all derived data of the index that does not match its rows. */
import { printText } from "@stowage/process";
import { formatCount, formatThings } from "../model/format.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { missingBits } from "./missing-bits.ts";
import { type DocumentPage, type RebuiltDocument, rebuiltDocuments } from "./rebuilt-documents.ts";
import { wrongSizes } from "./wrong-sizes.ts";
import { type WrongTotals, wrongTotals } from "./wrong-totals.ts";

export interface Wrong {
  readonly documents: number;
  /** IDs of buckets. */
  readonly sizes: ReadonlySet<string>;
  readonly totals: ReadonlySet<string>;
  readonly skipIndexes: ReadonlySet<string>;
}

/** At most this many errors of each kind are listed; the rest are only counted. */
const listedMax = 20;

/**
 * Reads the whole index. Needs a snapshot.
 *
 * @param onWrongDocuments called with wrong documents of one table, some hundreds at most. They are
 *   not kept: after an error in the program, all of a large index may be wrong.
 */
export async function findWrong(
  run: RunQuery,
  print: (line: string) => void,
  onWrongDocuments: (page: DocumentPage) => Promise<void>,
): Promise<Wrong> {
  const documents = await findWrongDocuments(run, listing(print), onWrongDocuments);
  const bucketText = await bucketNames(run);
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
  return { documents, sizes, totals, skipIndexes };
}

/** Returns a function that names a bucket by its host name and its ID. */
async function bucketNames(run: RunQuery): Promise<(bucketId: string) => string> {
  const rows = await run<{ bucketId: string; hostname: string }>(
    'select bucket_id as "bucketId", hostname from uploads.buckets',
  );
  const hostnames = new Map(rows.map(({ bucketId, hostname }) => [bucketId, hostname]));
  return (bucketId) => `bucket ${hostnames.get(bucketId)} (${bucketId})`;
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

/** `30 documents, the totals of 1 bucket`; empty if nothing is wrong. */
export function wrongText({ documents, sizes, totals, skipIndexes }: Wrong): string {
  const ofBuckets = (count: number) => `of ${count} ${count === 1 ? "bucket" : "buckets"}`;
  const parts: [count: number, text: string][] = [
    [documents, `${documents} ${documents === 1 ? "document" : "documents"}`],
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

async function findWrongDocuments(
  run: RunQuery,
  list: (line: string) => void,
  onWrongDocuments: (page: DocumentPage) => Promise<void>,
): Promise<number> {
  let count = 0;
  let wrongCount = 0;
  for await (const page of rebuiltDocuments(run)) {
    const documents = page.documents.filter(({ document, rebuilt }) => document !== rebuilt);
    count += page.documents.length;
    wrongCount += documents.length;
    for (const wrong of documents) list(differenceOf(page.table, wrong));
    if (documents.length > 0) await onWrongDocuments({ ...page, documents });
  }
  const compared = formatThings(count, "document");
  printText(`${compared} compared, ${formatCount(wrongCount)} wrong\n`);
  return wrongCount;
}

/** Characters shown of each text, from a few before the first difference. */
const shownLength = 100;
const shownBefore = 20;

function differenceOf(table: string, { bucketId, id, document, rebuilt }: RebuiltDocument): string {
  let at = 0;
  while (document[at] === rebuilt[at]) at += 1;
  const start = Math.max(0, at - shownBefore);
  const shown = (text: string) => JSON.stringify(text.slice(start, start + shownLength));
  return (
    `${table} ${bucketId} ${JSON.stringify(id)}, from character ${start}: ` +
    `got ${shown(document)}, need ${shown(rebuilt)}`
  );
}
