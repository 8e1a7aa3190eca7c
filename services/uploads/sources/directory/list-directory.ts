/**
 * Lists everything under a directory, in the byte order of the keys. A key is the path below the
 * directory; directories end with `/`. Symbolic links are not followed, so links cannot lead in
 * circles.
 */
import { type BigIntStats, lstatSync } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { systemErrorText } from "../../model/system-error.ts";
import { keyOfBytes } from "../keys.ts";
import type { LeftOut, ListedObject, ListedPage } from "../lister.ts";
import {
  checkMount,
  type Entry,
  isGone,
  KeyOrderWalk,
  type WalkOptions,
} from "./key-order-walk.ts";
import { objectOfDirectory, objectOfFile } from "./object-of-file.ts";
import type { SkippedEntries } from "./skipped-entries.ts";

interface DirectoryOptions extends Pick<WalkOptions, "root" | "excluded" | "readEntries"> {
  /** How long the files of a page are looked at one by one. Default 25. */
  readonly oneByOneMs?: number;
}

interface DirectoryLister {
  list(signal: AbortSignal): AsyncIterable<ListedPage>;
  /** Of all listings so far. */
  readonly skipped: SkippedEntries;
}

const pageEntries = 256;

/**
 * The other files of the page are then looked at together by the threads of Node, so that the disk
 * or the server has more to do at once. A page that the system has in memory takes a tenth of this,
 * and twice as long with threads.
 */
const oneByOneMsDefault = 25;

/**
 * Entries that vanish during the listing are left out. If the directory itself cannot be read,
 * listing throws the system's error. It throws an error, too, if the directory is replaced
 * meanwhile, or a directory under it is on another file system where something vanished: a file
 * system is probably no longer mounted.
 */
export function directoryLister(options: DirectoryOptions): DirectoryLister {
  const skipped: SkippedEntries = { symbolicLinks: 0, specialFiles: 0, excluded: 0 };
  return {
    skipped,
    list: (signal) => listPages(options, skipped, signal),
  };
}

async function* listPages(
  options: DirectoryOptions,
  skipped: SkippedEntries,
  signal: AbortSignal,
): AsyncGenerator<ListedPage> {
  const { root, oneByOneMs = oneByOneMsDefault } = options;
  const walk = new KeyOrderWalk({ ...options, skipped });
  let identity: string | undefined;
  const readPage = async () => {
    identity ??= await identityOf(root);
    const { entries, leftOut, hasVanished } = await walk.next(pageEntries);
    const read = await readEntries(entries, oneByOneMs);
    // Where a file system is no longer mounted, everything seems to have vanished.
    if ((await identityOf(root)) !== identity) {
      throw new Error(`it is another directory than before: ${checkMount}`);
    }
    if (hasVanished || read.some(({ isGone }) => isGone)) await walk.requireMounted();
    return { entries, leftOut, read };
  };
  for (;;) {
    signal.throwIfAborted();
    const { entries, leftOut, read } = await readPage();
    if (entries.length === 0 && leftOut.length === 0) break;
    yield {
      objects: read.flatMap(({ object }) => object ?? []),
      leftOut: [...leftOut, ...read.flatMap((result) => result.leftOut ?? [])],
    };
  }
}

/** Changes when another directory, or another file system, is at the path. */
export async function identityOf(directory: string): Promise<string> {
  const { dev, ino } = await stat(directory, { bigint: true });
  return `${dev} ${ino}`;
}

interface ReadEntry {
  readonly object?: ListedObject;
  readonly leftOut?: LeftOut;
  readonly isGone?: boolean;
}

async function readEntries(entries: readonly Entry[], oneByOneMs: number): Promise<ReadEntry[]> {
  const endMs = performance.now() + oneByOneMs;
  const read: ReadEntry[] = [];
  for (const entry of entries) {
    if (performance.now() >= endMs) break;
    read.push(readNow(entry));
  }
  return [...read, ...(await Promise.all(entries.slice(read.length).map(readLater)))];
}

function readNow(entry: Entry): ReadEntry {
  if (entry.isDirectory) return { object: objectOfDirectory(entry.key) };
  try {
    return fileOf(entry, lstatSync(entry.location, { bigint: true }));
  } catch (error) {
    return failureOf(entry, error);
  }
}

async function readLater(entry: Entry): Promise<ReadEntry> {
  if (entry.isDirectory) return { object: objectOfDirectory(entry.key) };
  try {
    return fileOf(entry, await lstat(entry.location, { bigint: true }));
  } catch (error) {
    return failureOf(entry, error);
  }
}

/** If it is no longer a file, the next listing finds what it has become. */
function fileOf({ key }: Entry, stats: BigIntStats): ReadEntry {
  return stats.isFile() ? { object: objectOfFile(keyOfBytes(key), stats) } : {};
}

function failureOf({ key }: Entry, error: unknown): ReadEntry {
  if (isGone(error)) return { isGone: true };
  const reason = systemErrorText(error);
  return { leftOut: { key: keyOfBytes(key), reason, isUnreadable: true } };
}
