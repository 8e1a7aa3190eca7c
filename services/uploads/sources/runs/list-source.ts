/** The first phase of a run: lists the source, several ranges at the same time. */
import type pg from "pg";
import type { Mount } from "../keys.ts";
import { listInParallel } from "../list-in-parallel.ts";
import type { Lister, ListingRange } from "../lister.ts";
import { PreparedPages } from "./listing-rows.ts";
import type { Run } from "./run.ts";
import { createListing, readRanges, type StoredRange, storePages } from "./store-listing.ts";

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
  // A crash of the server loses pages together with their checkpoints, so commits need not wait for
  // the disk.
  await client.query("set synchronous_commit = off");
  let ranges = await readRanges(client, run);
  if (ranges.length === 0) {
    await createListing(client, run, lister.ranges(knownKeys));
    ranges = await readRanges(client, run);
  }
  await listRanges(client, ranges, options);
  await client.query("reset synchronous_commit");
}

/** Pages that wait while others are stored. They are then stored in one transaction. */
const waitingPagesMax = 8;

async function listRanges(
  client: pg.ClientBase,
  ranges: readonly StoredRange[],
  { run, lister, mount, onListed, ...options }: ListOptions,
): Promise<void> {
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  let pages = new PreparedPages(client, run, mount);
  let isStoring = false;
  let stored = Promise.resolve();
  const store = async () => {
    await stored;
    signal.throwIfAborted();
    const { objects, sizeBytes } = pages;
    isStoring = true;
    stored = storePages(client, run, pages).then(() => {
      isStoring = false;
      onListed(objects, sizeBytes);
    });
    // Otherwise the error would show only after the next page, which may take minutes.
    stored.catch((error) => failure.abort(error));
    pages = new PreparedPages(client, run, mount);
  };
  let number = ranges.at(-1)?.number ?? 0;
  const rangeOf = (range: ListingRange) => ({ ...range, number: ++number, isListed: false });
  const open = ranges.filter(({ isListed }) => !isListed);
  try {
    for await (const event of listInParallel(lister, open, { signal, rangeOf })) {
      pages.add(event);
      if (!isStoring || pages.count === waitingPagesMax) await store();
    }
    signal.throwIfAborted();
  } finally {
    // If one of these fails, that is why the listing ended.
    if (pages.count > 0 && pages.isWhole && !signal.aborted) await store();
    await stored;
  }
}
