/**
 * Lists everything under a directory, in the byte order of the keys, so that a listing can go on
 * after any key. A key is the path below the directory; directories end with `/`. Symbolic links
 * are not followed, so links cannot lead in circles.
 */
import fs from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { untilAborted } from "@stowage/process";
import { systemErrorText } from "../../import/report.ts";
import { bytesOfKey, keyOfBytes } from "../keys.ts";
import {
  type LeftOut,
  type ListedObject,
  type ListedPage,
  type Lister,
  type ListingRange,
  OutdatedListingError,
} from "../lister.ts";
import { type Entry, isGone, KeyOrderWalk, type WalkOptions } from "./key-order-walk.ts";
import { FileError, objectOfFile } from "./object-of-file.ts";
import type { SkippedEntries } from "./skipped-entries.ts";

// The one of node:fs/promises takes longer: a twentieth of a run in which nothing changed.
const lstat = promisify(fs.lstat);

interface DirectoryOptions extends Pick<WalkOptions, "root" | "excluded" | "readEntries"> {
  readonly pageTimeoutMs?: number;
}

export interface DirectoryLister extends Lister {
  /** Of all listings so far. */
  readonly skipped: SkippedEntries;
}

/** Entries that are looked at together. */
const pageEntries = 256;

/** A page takes milliseconds, or seconds if it begins with a directory of millions of entries. */
const pageTimeoutMsDefault = 300_000;

/**
 * Entries that vanish during the listing are left out. If the directory itself cannot be read,
 * listing throws the system's error. It throws `OutdatedListingError` if the directory is replaced
 * meanwhile, if a directory under it is on another file system where something vanished, or if it
 * no longer has the entry after which a listing continues: a file system is probably no longer
 * mounted.
 */
export function directoryLister(options: DirectoryOptions): DirectoryLister {
  const skipped: SkippedEntries = { symbolicLinks: 0, specialFiles: 0, excluded: 0 };
  return {
    skipped,
    // One walk keeps the disk busy: a page's files are looked at together.
    ranges: async () => [{ after: undefined, until: undefined }],
    list: (range, signal) => listPages(options, skipped, range, signal),
  };
}

async function* listPages(
  options: DirectoryOptions,
  skipped: SkippedEntries,
  range: ListingRange,
  signal: AbortSignal,
): AsyncGenerator<ListedPage> {
  const { root, pageTimeoutMs = pageTimeoutMsDefault } = options;
  const walk = new KeyOrderWalk({ ...options, range, skipped });
  let identity: string | undefined;
  const readPage = async () => {
    identity ??= await identityOf(root);
    const { entries, leftOut, hasVanished } = await walk.next(pageEntries);
    const read = await Promise.all(entries.map(readEntry));
    // Where a file system is no longer mounted, everything seems to have vanished.
    if ((await identityOf(root)) !== identity) {
      throw new OutdatedListingError(
        `Cannot list ${root}: it is another directory than before; check whether its file system ` +
          "is mounted",
      );
    }
    if (hasVanished || read.some(({ isGone }) => isGone)) await walk.requireMounted();
    return { entries, leftOut, read };
  };
  for (;;) {
    const { entries, leftOut, read } = await inTime(readPage, { root, pageTimeoutMs, signal });
    // A listing that continues looks for this entry, so it should be one that still exists.
    const last =
      entries.findLast((_, index) => !read[index]?.isGone) ?? entries.at(-1) ?? leftOut.at(-1);
    if (last === undefined) break;
    yield {
      objects: read.flatMap(({ object }) => object ?? []),
      leftOut: [...leftOut, ...read.flatMap((result) => result.leftOut ?? [])],
      lastKey: keyOfBytes(bytesOfKey(last.key)),
    };
  }
}

interface TimeLimit {
  readonly root: string;
  readonly pageTimeoutMs: number;
  readonly signal: AbortSignal;
}

// A request to a file system cannot be cancelled, and one over the network may never be answered.
async function inTime<Result>(
  read: () => Promise<Result>,
  { root, pageTimeoutMs, signal }: TimeLimit,
): Promise<Result> {
  signal.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    const minutes = Math.round(pageTimeoutMs / 60_000);
    const text = `Cannot list ${root}: its file system did not answer for ${minutes} minutes`;
    timeout.abort(new Error(text));
  }, pageTimeoutMs);
  try {
    return await untilAborted(read(), AbortSignal.any([signal, timeout.signal]));
  } finally {
    clearTimeout(timer);
  }
}

async function identityOf(directory: string): Promise<string> {
  const { dev, ino } = await stat(directory, { bigint: true });
  return `${dev} ${ino}`;
}

interface ReadEntry {
  readonly object?: ListedObject;
  readonly leftOut?: LeftOut;
  readonly isGone?: boolean;
}

async function readEntry(entry: Entry): Promise<ReadEntry> {
  const key = keyOfBytes(entry.key);
  if (entry.isDirectory) {
    return { object: { key, sizeBytes: 0, createdAtMicros: undefined, updatedAtMicros: 0n } };
  }
  try {
    const stats = await lstat(entry.location, { bigint: true });
    // If it is no longer a file, the next listing finds what it has become.
    return stats.isFile() ? { object: objectOfFile(key, stats) } : {};
  } catch (error) {
    if (isGone(error)) return { isGone: true };
    const reason = error instanceof FileError ? error.message : systemErrorText(error);
    return { leftOut: { key, reason, isUnreadable: true } };
  }
}
