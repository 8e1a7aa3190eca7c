/** The first phase of a run: lists the source, several ranges at the same time. */
import type pg from "pg";
import type { Mount } from "../keys.ts";
import { listInParallel } from "../list-in-parallel.ts";
import type { Lister } from "../lister.ts";
import { PreparedPages } from "./listing-rows.ts";
import type { Run } from "./run.ts";
import { createListing, storePages } from "./store-listing.ts";

interface ListOptions {
  readonly run: Run;
  readonly lister: Lister;
  readonly mount: Mount;
  readonly knownKeys: readonly string[];
  readonly signal: AbortSignal;
  /** Called with what was listed since the last call. */
  readonly onListed: (objects: number, sizeBytes: number) => void;
}

/** Pages that wait while others are stored. They are then stored in one transaction. */
const waitingPagesMax = 8;

/** Lists every range to its end. The first error ends all ranges. */
export async function listSource(
  client: pg.ClientBase,
  { run, lister, mount, knownKeys, onListed, ...options }: ListOptions,
): Promise<void> {
  // A crash of the server ends the run, so commits need not wait for the disk.
  await client.query("set synchronous_commit = off");
  await createListing(client, run);
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
  try {
    for await (const page of listInParallel(lister, lister.ranges(knownKeys), signal)) {
      pages.add(page);
      if (!isStoring || pages.count === waitingPagesMax) await store();
    }
    signal.throwIfAborted();
    if (pages.count > 0) await store();
  } finally {
    // If this fails, that is why the listing ended.
    await stored;
  }
  await client.query("reset synchronous_commit");
}
