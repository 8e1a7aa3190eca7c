/** Lists the objects of a bucket in an S3 store, or those whose keys begin with a prefix. */
import { compareKeys, type Key } from "../keys.ts";
import { isAtEnd, isInRange, type ListedPage, type Lister, type ListingRange } from "../lister.ts";
import { readPage, type StorePage } from "./read-page.ts";
import { withTags } from "./read-tags.ts";
import { splitRanges } from "./split-ranges.ts";
import type { Store } from "./store.ts";

interface BucketOptions {
  readonly store: Store;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** Whether `ListObjectVersions` is used, which gives the version IDs of the current versions. */
  readonly versions?: boolean | undefined;
  readonly tags?: boolean | undefined;
  /** Objects of a page; stores give at most 1,000. */
  readonly pageKeys?: number | undefined;
}

/**
 * Three for each that is listed at once: a range larger than the others then delays the end less.
 * From a store 100 ms away, 200,000 objects took a tenth less time than with twelve ranges.
 */
const rangesWanted = 24;

/** Errors are `StoreError`s. Holds a page of each range that is being listed. */
export function bucketLister(options: BucketOptions): Lister {
  // Finding ranges has read these pages already.
  const firstPages = new Map<Key | undefined, readonly StorePage[]>();
  return {
    async ranges(knownKeys, signal) {
      if (knownKeys.length > 0) return rangesBetween(knownKeys);
      const from = { ...pageOptions(options), signal };
      const ranges = await splitRanges((position) => readPage(from, position), rangesWanted);
      for (const { after, pages } of ranges) firstPages.set(after, pages);
      return ranges.map(({ after, until }) => ({ after, until }));
    },
    list(range, signal) {
      const pages = firstPages.get(range.after) ?? [];
      firstPages.delete(range.after);
      return listPages(options, { range, pages, signal });
    },
  };
}

function pageOptions({ store, prefix, versions = false, pageKeys = 1000 }: BucketOptions) {
  return { store, prefix, versions, pageKeys };
}

function rangesBetween(knownKeys: readonly Key[]): readonly ListingRange[] {
  const sorted = knownKeys.toSorted(compareKeys);
  // Ranges that overlapped would list keys twice or not at all.
  const boundaries = sorted.filter((key, index) => {
    const earlier = sorted[index - 1];
    return earlier === undefined || compareKeys(earlier, key) < 0;
  });
  return [undefined, ...boundaries].map((after, index) => ({ after, until: boundaries[index] }));
}

interface ListOptions {
  readonly range: ListingRange;
  /** The first pages, as far as they are read already. */
  readonly pages: readonly StorePage[];
  readonly signal: AbortSignal;
}

async function* listPages(
  options: BucketOptions,
  { range, pages, signal }: ListOptions,
): AsyncGenerator<ListedPage> {
  const from = { ...pageOptions(options), signal };
  const known = pages.values();
  let page = known.next().value ?? (await readPage(from, { after: range.after }));
  let returned: Key | undefined;
  for (let lastKey = range.after; ; ) {
    lastKey = laterOf(lastKey, page.lastKey);
    // After a key that is not valid UTF-8, pages may end before it. The next page comes after it.
    returned = page.lastKey ?? returned;
    const inRange = page.objects.filter(({ key }) => isInRange(key, range));
    const { objects, leftOut } = options.tags
      ? await withTags(options.store, inRange, signal)
      : { objects: inRange, leftOut: [] };
    if (lastKey !== undefined) yield { objects, leftOut, lastKey };
    if (page.next === undefined || (lastKey !== undefined && isAtEnd(lastKey, range))) return;
    page = known.next().value ?? (await readPage(from, { after: returned, next: page.next }));
  }
}

/** After a key that is not valid UTF-8, a listing goes on a little before it. */
function laterOf(known: Key | undefined, read: Key | undefined): Key | undefined {
  if (known === undefined || read === undefined) return read ?? known;
  return compareKeys(read, known) > 0 ? read : known;
}
