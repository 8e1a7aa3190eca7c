import type { ListedPage, Lister, Listing, ListingRange } from "./lister.ts";

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
 * listed at once, those that go on are divided. At most one page of each range waits for the
 * caller. The first error ends all ranges.
 */
export async function* listInParallel<Range extends ListingRange>(
  lister: Pick<Lister, "list">,
  ranges: readonly Range[],
  { signal, rangeOf }: ParallelOptions<Range>,
): AsyncGenerator<ListingEvent<Range>> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const waiting = ranges.map((range) => rangeListing(range, lister.list(range, ended)));
  // Of steps that are done, the oldest is taken first.
  const running = new Map<RangeListing<Range>, Promise<Step<Range>>>();
  const goOn = (listing: RangeListing<Range>) => {
    const count = running.size + 1;
    const isRoom = waiting.length === 0 && count < parallelRanges;
    // To divide it takes a few requests. The more ranges are listed already, the less is gained.
    const step = isRoom && listing.undivided > count ? divide(listing, rangeOf) : readPage(listing);
    // It may fail while the caller is busy with another page. Its error is thrown after that.
    step.catch(() => undefined);
    running.set(listing, step);
  };
  const begin = () => {
    waiting.splice(0, parallelRanges - running.size).forEach(goOn);
  };
  try {
    begin();
    while (running.size > 0) {
      const { listing, result, later } = await Promise.race(running.values());
      const { range } = listing;
      running.delete(listing);
      if (later !== undefined) waiting.push(later);
      if (!result?.done) goOn(listing);
      begin();
      if (result !== undefined) yield { range, page: result.done ? undefined : result.value };
      if (later !== undefined) yield { range, later: later.range };
    }
  } finally {
    stop.abort();
    // Only the first error counts.
    await Promise.allSettled(running.values());
    // A listing that has yielded a page may hold files.
    await Promise.allSettled([...running.keys()].map(({ pages }) => pages.return?.()));
  }
}

interface RangeListing<Range> {
  readonly range: Range;
  readonly listing: Listing;
  readonly pages: AsyncIterator<ListedPage>;
  /** Pages since it began, or since it was to be divided. */
  undivided: number;
}

function rangeListing<Range>(range: Range, listing: Listing): RangeListing<Range> {
  return { range, listing, pages: listing[Symbol.asyncIterator](), undivided: 0 };
}

interface Step<Range> {
  readonly listing: RangeListing<Range>;
  /** Of reading a page. */
  readonly result?: IteratorResult<ListedPage>;
  /** Of dividing the range: what follows it, if it could be divided. */
  readonly later?: RangeListing<Range> | undefined;
}

async function readPage<Range>(listing: RangeListing<Range>): Promise<Step<Range>> {
  const result = await listing.pages.next();
  listing.undivided += 1;
  return { listing, result };
}

async function divide<Range>(
  divided: RangeListing<Range>,
  rangeOf: (range: ListingRange) => Range,
): Promise<Step<Range>> {
  divided.undivided = 0;
  const part = await divided.listing.divide?.();
  return { listing: divided, later: part && rangeListing(rangeOf(part.range), part.listing) };
}
