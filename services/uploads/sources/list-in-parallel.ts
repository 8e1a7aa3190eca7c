import type { KeyRange, ListedPage, Lister } from "./listed-object.ts";

/** Ranges that are listed at once. Stores answer that many requests of one client gladly. */
const parallelRanges = 8;

/**
 * All pages of a listing; those of different ranges come in any order. At most one page of each
 * range waits for the caller.
 */
export async function* listInParallel(
  lister: Lister,
  signal: AbortSignal,
): AsyncGenerator<ListedPage> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const waiting = [...(await lister.ranges([], ended))].reverse();
  const running = new Map<Listing, Promise<Step>>();
  const begin = (range: KeyRange | undefined) => {
    if (range === undefined) return;
    const listing = lister.list(range, ended)[Symbol.asyncIterator]();
    running.set(listing, next(listing));
  };
  try {
    while (running.size < parallelRanges && waiting.length > 0) begin(waiting.pop());
    while (running.size > 0) {
      const { listing, result } = await Promise.race(running.values());
      if (result.done) {
        running.delete(listing);
        begin(waiting.pop());
      } else {
        running.set(listing, next(listing));
        yield result.value;
      }
    }
  } finally {
    stop.abort();
    // Their errors are of no interest any more.
    await Promise.allSettled(running.values());
    // A listing that has yielded a page may hold files.
    await Promise.allSettled([...running.keys()].map((listing) => listing.return?.()));
  }
}

type Listing = AsyncIterator<ListedPage>;

interface Step {
  readonly listing: Listing;
  readonly result: IteratorResult<ListedPage>;
}

function next(listing: Listing): Promise<Step> {
  const step = listing.next().then((result) => ({ listing, result }));
  // It may fail while the caller is busy with another page. Its error is thrown after that.
  step.catch(() => undefined);
  return step;
}
