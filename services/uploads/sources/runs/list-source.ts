/** The first phase of a run: lists the source, several ranges at the same time. */
import type pg from "pg";
import type { Mount } from "../keys.ts";
import type { Lister } from "../listed-object.ts";
import { preparePage } from "./listing-rows.ts";
import type { Run } from "./run.ts";
import {
  closeRange,
  createListing,
  type OpenRange,
  readFirstRange,
  readOpenRanges,
  storePage,
} from "./store-listing.ts";

/** Ranges that are listed at the same time. */
const rangesAtOnce = 8;

interface ListOptions {
  readonly run: Run;
  readonly lister: Lister;
  readonly mount: Mount;
  readonly knownKeys: readonly string[];
  readonly signal: AbortSignal;
  /** Called with what was listed since the last call. */
  readonly onListed: (objects: number, sizeBytes: number) => void;
}

/**
 * Lists every range to its end. Ranges that an interrupted run has begun continue after their last
 * stored key. The first error ends all ranges.
 */
export async function listSource(client: pg.ClientBase, options: ListOptions): Promise<void> {
  const { run, lister, knownKeys } = options;
  // A crash of the server loses pages together with their checkpoints, so nothing needs to wait for
  // its disk.
  await client.query("set synchronous_commit = off");
  await requireSameListing(client, run, lister);
  let ranges = await readOpenRanges(client, run);
  if (ranges === undefined) {
    await createListing(client, run, await lister.ranges(knownKeys, options.signal));
    ranges = (await readOpenRanges(client, run)) ?? [];
  }
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const inTurn = turns();
  const waiting = ranges.values();
  const listNext = async () => {
    for (const range of waiting) {
      await listRange(client, range, { ...options, signal }, inTurn);
    }
  };
  const workers = Array.from({ length: rangesAtOnce }, () =>
    listNext().catch((error) => {
      failure.abort(error);
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  if (ends.some(({ status }) => status === "rejected")) {
    options.signal.throwIfAborted();
    throw failure.signal.reason;
  }
  await client.query("reset synchronous_commit");
}

/** Throws `OutdatedListingError` if the run has begun to list something else. */
export async function requireSameListing(
  client: pg.ClientBase,
  run: Run,
  lister: Lister,
): Promise<void> {
  const begun = await readFirstRange(client, run);
  if (begun !== undefined) lister.requireSame?.(begun.after);
}

async function listRange(
  client: pg.ClientBase,
  range: OpenRange,
  options: ListOptions,
  inTurn: Turns,
): Promise<void> {
  const { run, lister, mount, signal, onListed } = options;
  const ending = new AbortController();
  const endingSignal = AbortSignal.any([signal, ending.signal]);
  const pages = lister.list(range, endingSignal)[Symbol.asyncIterator]();
  try {
    for (let page = await pages.next(); !page.done; ) {
      signal.throwIfAborted();
      // The next page is read while this one is stored.
      const following = pages.next();
      following.catch(() => undefined);
      const prepared = preparePage(client, { run, mount }, page.value);
      await inTurn(() => storePage(client, { run, range }, prepared));
      onListed(prepared.objects, prepared.sizeBytes);
      page = await following;
    }
  } finally {
    // After an error, a page may still be read: the store could keep the run waiting for minutes.
    ending.abort();
    await pages.return?.();
  }
  signal.throwIfAborted();
  await inTurn(() => closeRange(client, run, range));
}

type Turns = <T>(action: () => Promise<T>) => Promise<T>;

/** One connection writes for all ranges, one page at a time. */
function turns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const turn = last.then(action, action);
    last = turn;
    return turn as ReturnType<typeof action>;
  };
}
