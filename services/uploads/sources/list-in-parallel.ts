import type { ListedPage, Lister, ListingRange } from "./lister.ts";

/** Ranges that are listed at once. Stores accept that many parallel requests of one client. */
const parallelRanges = 8;

interface RangePage<Range> {
  readonly range: Range;
  /** Undefined: the range has been listed to its end. */
  readonly page: ListedPage | undefined;
}

/**
 * Lists ranges; pages of different ranges come in any order. At most one page of each range waits
 * for the caller. The first error ends all ranges.
 */
export async function* listInParallel<Range extends ListingRange>(
  lister: Pick<Lister, "list">,
  ranges: readonly Range[],
  signal: AbortSignal,
): AsyncGenerator<RangePage<Range>> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const waiting = ranges.values();
  const running = new Map<Listing, Promise<Step<Range>>>();
  const begin = () => {
    const range = waiting.next().value;
    if (range === undefined) return;
    const listing = lister.list(range, ended)[Symbol.asyncIterator]();
    running.set(listing, next(listing, range));
  };
  try {
    for (let count = 0; count < parallelRanges; count += 1) begin();
    while (running.size > 0) {
      const { listing, range, result } = await Promise.race(running.values());
      // Of pages that wait, the one whose range waits longest is next.
      running.delete(listing);
      if (result.done) begin();
      else running.set(listing, next(listing, range));
      yield { range, page: result.done ? undefined : result.value };
    }
  } finally {
    stop.abort();
    // Only the first error counts.
    await Promise.allSettled(running.values());
    // A listing that has yielded a page may hold files.
    await Promise.allSettled([...running.keys()].map((listing) => listing.return?.()));
  }
}

type Listing = AsyncIterator<ListedPage>;

interface Step<Range> {
  readonly listing: Listing;
  readonly range: Range;
  readonly result: IteratorResult<ListedPage>;
}

function next<Range>(listing: Listing, range: Range): Promise<Step<Range>> {
  const step = listing.next().then((result) => ({ listing, range, result }));
  // It may fail while the caller is busy with another page. Its error is thrown after that.
  step.catch(() => undefined);
  return step;
}
