import type { Divide, ListedPage, Lister, Listing, ListingRange } from "./lister.ts";

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
 * listed at once, those that go on are divided while their pages are read. At most one page of each
 * range waits for the caller. The first error ends all ranges.
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
 * A search for a division begins only if all of them have made fewer requests: the keys may be such
 * that a division gains little.
 */
const freeRequests = 32;
const requestsPerPage = 1 / 4;

class ParallelListings<Range extends ListingRange> {
  readonly #waiting: RangeListing<Range>[];
  readonly #rangeOf: (range: ListingRange) => Range;
  // Of pages that are there, the oldest is taken first.
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

  /** Waits for a page or the end of a search. Returns undefined if that found no division. */
  async next(): Promise<ListingEvent<Range> | undefined> {
    const step = await Promise.race([...this.#searching.values(), ...this.#reading.values()]);
    const event = "divide" in step ? this.#divide(step) : this.#goOn(step);
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
      add(this.#reading, listing, readPage(listing));
    }
  }

  #goOn({ listing, result }: ReadStep<Range>): RangePage<Range> {
    this.#pages += 1;
    this.#reading.delete(listing);
    if (result.done) return { range: listing.range, page: undefined };
    add(this.#reading, listing, readPage(listing));
    if (this.#isWorthDividing(listing)) add(this.#searching, listing, this.#search(listing));
    return { range: listing.range, page: result.value };
  }

  /** The more ranges are listed already, the less is gained. */
  #isWorthDividing(listing: RangeListing<Range>): boolean {
    if (this.#waiting.length > 0 || this.#searching.has(listing)) return false;
    if (listing.listing.findDivision === undefined) return false;
    if (this.#requests >= freeRequests + this.#pages * requestsPerPage) return false;
    const count = this.#reading.size + this.#searching.size;
    return count < parallelRanges && listing.undivided > count;
  }

  async #search(listing: RangeListing<Range>): Promise<SearchStep<Range>> {
    listing.undivided = 0;
    const divide = await listing.listing.findDivision?.(() => {
      this.#requests += 1;
    });
    return { listing, divide };
  }

  #divide({ listing, divide }: SearchStep<Range>): Division<Range> | undefined {
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
  /** Pages since it began, or since a division was last looked for. */
  undivided: number;
}

function rangeListing<Range>(range: Range, listing: Listing): RangeListing<Range> {
  return { range, listing, pages: listing[Symbol.asyncIterator](), undivided: 0 };
}

interface ReadStep<Range> {
  readonly listing: RangeListing<Range>;
  readonly result: IteratorResult<ListedPage>;
}

interface SearchStep<Range> {
  readonly listing: RangeListing<Range>;
  readonly divide: Divide | undefined;
}

type Step<Range> = ReadStep<Range> | SearchStep<Range>;
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

async function readPage<Range>(listing: RangeListing<Range>): Promise<ReadStep<Range>> {
  const result = await listing.pages.next();
  listing.undivided += 1;
  return { listing, result };
}
