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
import { refusalStatusOf, StoreError } from "./store-error.ts";

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
  const starts: Starts = { areAccepted: undefined, haveFirst: false, divide: true };
  return {
    ranges: rangesBetween,
    list: (range, signal, { isWithoutTags = false } = {}) => {
      const tags = options.tags && !isWithoutTags;
      return new BucketListing({ ...options, tags, starts, signal }, range);
    },
    find: (keys, signal) => findObjects(keys, { ...options, signal }),
    async read(keys, signal) {
      const objects = await readObjects(keys, { ...options, signal });
      if (!options.tags) return { objects, leftOut: [] };
      return await withTags(options.store, objects, signal);
    },
    close: () => options.store.client.destroy(),
  };
}

/**
 * Whether the store lists what comes after a given key, which some do not. Then the first range
 * goes on to the end of the bucket, page by page, and the others are empty.
 */
interface Starts {
  /** As the first request of that kind was answered. */
  areAccepted: boolean | undefined;
  /** Whether the range that begins at the start is listed. */
  haveFirst: boolean;
  /** Whether texts that are no keys are accepted, too. They may have characters beyond U+FFFF. */
  divide: boolean;
}

const refusedStarts: readonly unknown[] = [400, 404, 405, 501];

function isStartRefused(error: unknown): boolean {
  return refusedStarts.includes(refusalStatusOf(error));
}

const endsEarly =
  "the store says that its listing ends, and lists more keys after that: try again later, and if " +
  "it stays so, tell who runs the store";

function rangesBetween(knownKeys: readonly Key[]): readonly ListingRange[] {
  const sorted = knownKeys.toSorted(compareKeys);
  // Ranges that overlapped would list keys twice or not at all. Some stores accept no boundaries
  // with characters beyond U+FFFF.
  const boundaries = sorted.filter((key, index) => {
    const earlier = sorted[index - 1];
    const isPlain = typeof key !== "string" || !/[\u{10000}-\u{10ffff}]/u.test(key);
    return isPlain && (earlier === undefined || compareKeys(earlier, key) < 0);
  });
  return [undefined, ...boundaries].map((after, index) => ({ after, until: boundaries[index] }));
}

interface ListingOptions extends BucketOptions {
  readonly starts: Starts;
  readonly signal: AbortSignal;
}

class BucketListing implements Listing {
  readonly #options: ListingOptions;
  #range: ListingRange;
  /** See `findBoundary`. */
  #charactersInCommon: number | undefined;
  /** Everything up to it has been read. */
  #lastKey: Key | undefined;
  /** Where the next page begins; undefined at the end of the range. */
  #next: PagePosition | undefined;

  constructor(options: ListingOptions, range: ListingRange, charactersInCommon?: number) {
    this.#options = options;
    this.#range = range;
    this.#charactersInCommon = charactersInCommon;
    this.#lastKey = range.after;
    this.#next = { after: range.after };
    if (range.after === undefined) options.starts.haveFirst = true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ListedPage> {
    let returned: Key | undefined;
    while (this.#next !== undefined) {
      const page = await this.#readWhole(this.#next);
      if (page === undefined) return;
      // After a key that is not valid UTF-8, pages may end before it. The next page comes after it.
      returned = page.lastKey ?? returned;
      const lastKey = laterOf(this.#lastKey, page.lastKey);
      this.#lastKey = lastKey;
      const isAtBoundary = lastKey !== undefined && isAtEnd(lastKey, this.#range);
      const isLast = isAtBoundary && !(await this.#takesRest());
      this.#next = isLast || !page.next ? undefined : { after: returned, next: page.next };
      yield await this.#listedOf(page);
    }
  }

  async findDivision(onRequest: () => void): Promise<TryToDivide> {
    const { starts } = this.#options;
    const firstKeyAfter = async (after: string) => {
      onRequest();
      const { objects, lastKey } = await this.#readPage({ after, keysMax: 1 });
      starts.areAccepted ??= true;
      // With versions, a page may have only deleted objects: their key will do.
      return objects[0]?.key ?? lastKey;
    };
    const left = { after: this.#lastKey, until: this.#range.until };
    if (!starts.divide || starts.areAccepted === false) return () => undefined;
    try {
      const found = await findBoundary(firstKeyAfter, left, this.#charactersInCommon);
      return () => found && this.#divideAt(found.boundary, found.charactersInCommon);
    } catch (error) {
      if (!isStartRefused(error)) throw error;
      starts.divide = false;
      return () => undefined;
    }
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
   * no key after the range either. Undefined if the first range lists this one.
   */
  async #readWhole(position: PagePosition): Promise<StorePage | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const isStart = position.after !== undefined && position.next === undefined;
      const page = await (isStart ? this.#readStart(position) : this.#readPage(position));
      if (page === undefined) return undefined;
      const { until } = this.#range;
      const lastKey = laterOf(this.#lastKey, page.lastKey);
      const isEarly =
        !page.next && until !== undefined && !(lastKey && isAtEnd(lastKey, this.#range));
      if (!isEarly) return page;
      const later = await this.#readStart({ after: until, keysMax: 1 });
      if (later?.lastKey === undefined) return page;
      if (attempt === attemptsMax) throw new StoreError(endsEarly);
    }
  }

  /** Reads a page after a given key. Undefined if the store accepts no such request. */
  async #readStart(position: PagePosition): Promise<StorePage | undefined> {
    const { starts } = this.#options;
    try {
      const page = await this.#readPage(position);
      starts.areAccepted ??= true;
      return starts.areAccepted ? page : undefined;
    } catch (error) {
      if (!isStartRefused(error) || starts.areAccepted || !starts.haveFirst) throw error;
      starts.areAccepted = false;
      return undefined;
    }
  }

  /** Whether this is the first range, and goes on beyond its end in place of the others. */
  async #takesRest(): Promise<boolean> {
    const { starts } = this.#options;
    const { after, until } = this.#range;
    if (after !== undefined || until === undefined) return false;
    if (starts.areAccepted === undefined) await this.#readStart({ after: until, keysMax: 1 });
    if (starts.areAccepted) return false;
    this.#range = { after, until: undefined };
    return true;
  }

  #readPage(position: PagePosition): Promise<StorePage> {
    const { store, prefix, versions = false, pageKeys = 1000, signal } = this.#options;
    return readPage({ store, prefix, versions, pageKeys, signal }, position);
  }
}
