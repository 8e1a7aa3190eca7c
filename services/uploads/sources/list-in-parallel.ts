import type { ListedPage, Lister, Listing, ListingRange, TryToDivide } from "./lister.ts";

/** Ranges that are listed at once. Stores accept that many parallel requests of one client. */
const parallelRanges = 8;

export type ListingEvent<Range> = RangePage<Range> | Division<Range>;

export interface RangePage<Range> {
  readonly range: Range;
  /** Undefined: the range has been listed to its end. */
  readonly page: ListedPage | undefined;
}

export interface Division<Range> {
  /** It now ends where the later one begins. */
  readonly range: Range;
  readonly later: Range;
}

interface ParallelOptions<Range> {
  readonly signal: AbortSignal;
  /** Makes the caller's range of one that was divided off. */
  readonly rangeOf: (range: ListingRange) => Range;
}

/**
 * Lists ranges; events of different ranges come in any order. When fewer are left than can be
 * listed at once, those that are left are divided while their pages are read. At most one page of
 * each range waits for the caller. The first error ends all ranges.
 */
export async function* listInParallel<Range extends ListingRange>(
  lister: Pick<Lister, "list">,
  ranges: readonly Range[],
  { signal, rangeOf }: ParallelOptions<Range>,
): AsyncGenerator<ListingEvent<Range>> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const begun = ranges.map((range) => rangeListing(range, lister.list(range, ended)));
  const listings = new ParallelListings(begun, rangeOf);
  try {
    while (!listings.areDone) {
      const event = await listings.next();
      if (event !== undefined) yield event;
    }
  } finally {
    stop.abort();
    await listings.end();
  }
}

/**
 * When all searches for divisions have made so many requests, and so many more for each page, no
 * further one begins: the keys may be such that divisions gain little.
 */
const freeRequests = 32;
const requestsPerPage = 1 / 4;

class ParallelListings<Range extends ListingRange> {
  readonly #waiting: RangeListing<Range>[];
  readonly #rangeOf: (range: ListingRange) => Range;
  readonly #reading: Steps<Range> = new Map();
  readonly #searching: Steps<Range> = new Map();
  #pages = 0;
  #requests = 0;

  constructor(listings: RangeListing<Range>[], rangeOf: (range: ListingRange) => Range) {
    this.#waiting = listings;
    this.#rangeOf = rangeOf;
    this.#begin();
  }

  get areDone(): boolean {
    return this.#reading.size === 0;
  }

  /**
   * Waits for a page, the end of a range or the end of a search. Returns undefined after a search
   * without a division.
   */
  async next(): Promise<ListingEvent<Range> | undefined> {
    // If several are done, it is the first of them: pages that are always ready stop no division.
    const step = await Promise.race([...this.#searching.values(), ...this.#reading.values()]);
    const event = step();
    this.#begin();
    return event;
  }

  async end(): Promise<void> {
    // Only the first error counts.
    await Promise.allSettled([...this.#searching.values(), ...this.#reading.values()]);
    // A listing that has yielded a page may hold files.
    await Promise.allSettled([...this.#reading.keys()].map(({ pages }) => pages.return?.()));
  }

  #begin(): void {
    for (const listing of this.#waiting.splice(0, parallelRanges - this.#reading.size)) {
      add(this.#reading, listing, this.#read(listing));
    }
  }

  async #read(listing: RangeListing<Range>): Promise<Step<Range>> {
    const result = await listing.pages.next();
    return () => this.#goOn(listing, result);
  }

  #goOn(
    listing: RangeListing<Range>,
    { done, value }: IteratorResult<ListedPage>,
  ): RangePage<Range> {
    this.#pages += 1;
    listing.pagesSinceSearch += 1;
    this.#reading.delete(listing);
    if (done) return { range: listing.range, page: undefined };
    add(this.#reading, listing, this.#read(listing));
    if (this.#isWorthDividing(listing)) add(this.#searching, listing, this.#search(listing));
    return { range: listing.range, page: value };
  }

  #isWorthDividing(listing: RangeListing<Range>): boolean {
    if (this.#waiting.length > 0 || this.#searching.has(listing)) return false;
    if (listing.listing.findDivision === undefined) return false;
    if (this.#requests >= freeRequests + this.#pages * requestsPerPage) return false;
    // The more ranges are being listed, the less a division gains.
    const busy = this.#reading.size + this.#searching.size;
    return busy < parallelRanges && listing.pagesSinceSearch > busy;
  }

  async #search(listing: RangeListing<Range>): Promise<Step<Range>> {
    listing.pagesSinceSearch = 0;
    const divide = await listing.listing.findDivision?.(() => {
      this.#requests += 1;
    });
    return () => this.#divide(listing, divide);
  }

  #divide(listing: RangeListing<Range>, divide?: TryToDivide): Division<Range> | undefined {
    this.#searching.delete(listing);
    const part = this.#reading.has(listing) ? divide?.() : undefined;
    if (part === undefined) return undefined;
    const later = this.#rangeOf(part.range);
    this.#waiting.push(rangeListing(later, part.listing));
    return { range: listing.range, later };
  }
}

interface RangeListing<Range> {
  readonly range: Range;
  readonly listing: Listing;
  readonly pages: AsyncIterator<ListedPage>;
  /** Since a division was last looked for, or since it began. */
  pagesSinceSearch: number;
}

function rangeListing<Range>(range: Range, listing: Listing): RangeListing<Range> {
  return { range, listing, pages: listing[Symbol.asyncIterator](), pagesSinceSearch: 0 };
}

/** What to do with a page or a division when its turn comes. */
type Step<Range> = () => ListingEvent<Range> | undefined;
type Steps<Range> = Map<RangeListing<Range>, Promise<Step<Range>>>;

function add<Range>(
  steps: Steps<Range>,
  listing: RangeListing<Range>,
  step: Promise<Step<Range>>,
): void {
  // It may fail while the caller is busy with another page. Its error is thrown after that.
  step.catch(() => undefined);
  steps.set(listing, step);
}
