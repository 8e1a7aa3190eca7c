/**
 * Lists everything under a directory, in the byte order of the keys, so that a listing can go on
 * after any key. A key is the path below the directory; directories end with `/`. Symbolic links
 * are not followed, so links cannot lead in circles.
 */
import fs from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { systemErrorText } from "../../model/system-error.ts";
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
import { objectOfFile } from "./object-of-file.ts";
import type { SkippedEntries } from "./skipped-entries.ts";

// The one of node:fs/promises takes longer: a twentieth of a run in which nothing changed.
const lstat = promisify(fs.lstat);

type DirectoryOptions = Pick<WalkOptions, "root" | "excluded" | "readEntries">;

interface DirectoryLister extends Pick<Lister, "list"> {
  /** Of all listings so far. */
  readonly skipped: SkippedEntries;
}

/** Entries that are looked at together. */
const pageEntries = 256;

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
    list: (range, signal) => listPages(options, skipped, range, signal),
  };
}

async function* listPages(
  options: DirectoryOptions,
  skipped: SkippedEntries,
  range: ListingRange,
  signal: AbortSignal,
): AsyncGenerator<ListedPage> {
  const { root } = options;
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
    signal.throwIfAborted();
    const { entries, leftOut, read } = await readPage();
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
    return { leftOut: { key, reason: systemErrorText(error), isUnreadable: true } };
  }
}
