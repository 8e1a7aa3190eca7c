/** Lists the objects of a bucket in an S3 store, or those whose keys begin with a prefix. */
import { compareKeys, type Key, laterOf } from "../keys.ts";
import {
  isAtEnd,
  isInRange,
  type ListedPage,
  type Lister,
  type Listing,
  type ListingRange,
  type TryToDivide,
} from "../lister.ts";
import { findBoundary } from "./find-boundary.ts";
import { findObjects, readObjects } from "./find-objects.ts";
import { attemptsMax, type PagePosition, readPage, type StorePage } from "./read-page.ts";
import { withTags } from "./read-tags.ts";
import type { Store } from "./store.ts";
import { StoreError } from "./store-error.ts";

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

/** Errors are `StoreError`s. Holds a page of each range that is being listed. */
export function bucketLister(options: BucketOptions): Lister {
  return {
    ranges: rangesBetween,
    list: (range, signal) => new BucketListing({ ...options, signal }, range),
    find: (keys, signal) => findObjects(keys, { ...options, signal }),
    async read(keys, signal) {
      const objects = await readObjects(keys, { ...options, signal });
      if (!options.tags) return { objects, leftOut: [] };
      return await withTags(options.store, objects, signal);
    },
    close: () => options.store.client.destroy(),
  };
}

const endsEarly =
  "the store says that its listing ends, and lists more keys after that: try again later, and if " +
  "it stays so, tell who runs the store";

function rangesBetween(knownKeys: readonly Key[]): readonly ListingRange[] {
  const sorted = knownKeys.toSorted(compareKeys);
  // Ranges that overlapped would list keys twice or not at all.
  const boundaries = sorted.filter((key, index) => {
    const earlier = sorted[index - 1];
    return earlier === undefined || compareKeys(earlier, key) < 0;
  });
  return [undefined, ...boundaries].map((after, index) => ({ after, until: boundaries[index] }));
}

class BucketListing implements Listing {
  readonly #options: BucketOptions & { readonly signal: AbortSignal };
  #range: ListingRange;
  /** See `findBoundary`. */
  #charactersInCommon: number | undefined;
  /** Everything up to it has been read. */
  #lastKey: Key | undefined;
  /** Where the next page begins; undefined at the end of the range. */
  #next: PagePosition | undefined;

  constructor(
    options: BucketOptions & { readonly signal: AbortSignal },
    range: ListingRange,
    charactersInCommon?: number,
  ) {
    this.#options = options;
    this.#range = range;
    this.#charactersInCommon = charactersInCommon;
    this.#lastKey = range.after;
    this.#next = { after: range.after };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ListedPage> {
    let returned: Key | undefined;
    while (this.#next !== undefined) {
      const page = await this.#readWhole(this.#next);
      // After a key that is not valid UTF-8, pages may end before it. The next page comes after it.
      returned = page.lastKey ?? returned;
      const lastKey = laterOf(this.#lastKey, page.lastKey);
      this.#lastKey = lastKey;
      const isLast = lastKey !== undefined && isAtEnd(lastKey, this.#range);
      this.#next = isLast || !page.next ? undefined : { after: returned, next: page.next };
      yield await this.#listedOf(page);
    }
  }

  async findDivision(onRequest: () => void): Promise<TryToDivide> {
    const firstKeyAfter = async (after: string) => {
      onRequest();
      const { objects, lastKey } = await this.#readPage({ after, keysMax: 1 });
      // With versions, a page may have only deleted objects: their key will do.
      return objects[0]?.key ?? lastKey;
    };
    const left = { after: this.#lastKey, until: this.#range.until };
    const found = await findBoundary(firstKeyAfter, left, this.#charactersInCommon);
    return () => found && this.#divideAt(found.boundary, found.charactersInCommon);
  }

  #divideAt(boundary: Key, charactersInCommon: number): Listing | undefined {
    const isRead = this.#lastKey !== undefined && compareKeys(this.#lastKey, boundary) >= 0;
    if (this.#next === undefined || isRead) return undefined;
    const { after, until } = this.#range;
    this.#range = { after, until: boundary };
    this.#charactersInCommon = charactersInCommon;
    const range = { after: boundary, until };
    return new BucketListing(this.#options, range, charactersInCommon);
  }

  async #listedOf({ objects }: StorePage): Promise<ListedPage> {
    const { store, tags, signal } = this.#options;
    // Nearly every page is whole. To compare each key would take a tenth of the listing.
    const ends = [...objects.slice(0, 1), ...objects.slice(-1)];
    const isWhole = ends.every(({ key }) => isInRange(key, this.#range));
    const inRange = isWhole ? objects : objects.filter(({ key }) => isInRange(key, this.#range));
    return tags ? await withTags(store, inRange, signal) : { objects: inRange, leftOut: [] };
  }

  /**
   * Reads a page. If it says that it is the last, before the end of the range, the store must have
   * no key after the range either.
   */
  async #readWhole(position: PagePosition): Promise<StorePage> {
    for (let attempt = 1; ; attempt += 1) {
      const page = await this.#readPage(position);
      const { until } = this.#range;
      const lastKey = laterOf(this.#lastKey, page.lastKey);
      const isEarly =
        !page.next && until !== undefined && !(lastKey && isAtEnd(lastKey, this.#range));
      if (!isEarly) return page;
      const later = await this.#readPage({ after: until, keysMax: 1 });
      if (later.lastKey === undefined) return page;
      if (attempt === attemptsMax) throw new StoreError(endsEarly);
    }
  }

  #readPage(position: PagePosition): Promise<StorePage> {
    const { store, prefix, versions = false, pageKeys = 1000, signal } = this.#options;
    return readPage({ store, prefix, versions, pageKeys, signal }, position);
  }
}
