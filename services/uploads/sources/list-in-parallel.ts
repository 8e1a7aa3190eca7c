import type { ListedPage, Lister, Listing, ListingRange, TryToDivide } from "./lister.ts";

/** Ranges that are listed at once. Stores accept that many parallel requests of one client. */
const parallelRanges = 8;

/**
 * Lists ranges; pages of different ranges come in any order. When fewer are left than can be listed
 * at once, those that are left are divided while their pages are read. At most one page of each
 * range waits for the caller. The first error ends all ranges.
 */
export async function* listInParallel(
  lister: Pick<Lister, "list">,
  ranges: readonly ListingRange[],
  signal: AbortSignal,
): AsyncGenerator<ListedPage> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const listings = new ParallelListings(
    ranges.map((range) => rangeListing(lister.list(range, ended))),
  );
  try {
    while (!listings.areDone) {
      const page = await listings.next();
      if (page !== undefined) yield page;
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

class ParallelListings {
  readonly #waiting: RangeListing[];
  readonly #reading: Steps = new Map();
  readonly #searching: Steps = new Map();
  #pages = 0;
  #requests = 0;

  constructor(listings: RangeListing[]) {
    this.#waiting = listings;
    this.#begin();
  }

  get areDone(): boolean {
    return this.#reading.size === 0;
  }

  /** Waits for a page, or for the end of a range or of a search, after which there is none. */
  async next(): Promise<ListedPage | undefined> {
    // If several are done, it is the first of them: pages that are always ready stop no division.
    const step = await Promise.race([...this.#searching.values(), ...this.#reading.values()]);
    const page = step();
    this.#begin();
    return page;
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

  async #read(listing: RangeListing): Promise<Step> {
    const result = await listing.pages.next();
    return () => this.#goOn(listing, result);
  }

  #goOn(
    listing: RangeListing,
    { done, value }: IteratorResult<ListedPage>,
  ): ListedPage | undefined {
    this.#pages += 1;
    listing.pagesSinceSearch += 1;
    this.#reading.delete(listing);
    if (done) return undefined;
    add(this.#reading, listing, this.#read(listing));
    if (this.#isWorthDividing(listing)) add(this.#searching, listing, this.#search(listing));
    return value;
  }

  #isWorthDividing(listing: RangeListing): boolean {
    if (this.#waiting.length > 0 || this.#searching.has(listing)) return false;
    if (listing.listing.findDivision === undefined) return false;
    if (this.#requests >= freeRequests + this.#pages * requestsPerPage) return false;
    // The more ranges are being listed, the less a division gains.
    const busy = this.#reading.size + this.#searching.size;
    return busy < parallelRanges && listing.pagesSinceSearch > busy;
  }

  async #search(listing: RangeListing): Promise<Step> {
    listing.pagesSinceSearch = 0;
    const divide = await listing.listing.findDivision?.(() => {
      this.#requests += 1;
    });
    return () => this.#divide(listing, divide);
  }

  #divide(listing: RangeListing, divide?: TryToDivide): undefined {
    this.#searching.delete(listing);
    const later = this.#reading.has(listing) ? divide?.() : undefined;
    if (later !== undefined) this.#waiting.push(rangeListing(later));
  }
}

interface RangeListing {
  readonly listing: Listing;
  readonly pages: AsyncIterator<ListedPage>;
  /** Since a division was last looked for, or since it began. */
  pagesSinceSearch: number;
}

function rangeListing(listing: Listing): RangeListing {
  return { listing, pages: listing[Symbol.asyncIterator](), pagesSinceSearch: 0 };
}

/** What to do with a page or a division when its turn comes. */
type Step = () => ListedPage | undefined;
type Steps = Map<RangeListing, Promise<Step>>;

function add(steps: Steps, listing: RangeListing, step: Promise<Step>): void {
  // It may fail while the caller is busy with another page. Its error is thrown after that.
  step.catch(() => undefined);
  steps.set(listing, step);
}
