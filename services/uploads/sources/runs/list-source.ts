/** The first phase of a run: lists the source, several ranges at the same time. */
import type pg from "pg";
import type { Mount } from "../keys.ts";
import { listInParallel } from "../list-in-parallel.ts";
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
  await storePages(client, ranges, options);
  await client.query("reset synchronous_commit");
}

async function storePages(
  client: pg.ClientBase,
  ranges: readonly OpenRange[],
  { run, lister, mount, onListed, ...options }: ListOptions,
): Promise<void> {
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  let storing: Promise<void> = Promise.resolve();
  try {
    for await (const { range, page } of listInParallel(lister, ranges, signal)) {
      // The next page is prepared while this one is stored.
      const prepared = page && preparePage(client, { run, mount }, page);
      await storing;
      signal.throwIfAborted();
      storing = prepared
        ? storePage(client, { run, range }, prepared).then(() =>
            onListed(prepared.objects, prepared.sizeBytes),
          )
        : closeRange(client, run, range);
      // Otherwise the error would show only after the next page, which may take minutes.
      storing.catch((error) => failure.abort(error));
    }
  } finally {
    // If this fails, it is why the listing ended.
    await storing;
  }
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
