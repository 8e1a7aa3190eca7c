import type { BigIntStats, Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { systemErrorText } from "../../model/system-error.ts";
import { externalPathOf, KeyError, keyOfBytes, pathOfKey } from "../keys.ts";
import type { LeftOut } from "../lister.ts";
import type { SkippedEntries } from "./skipped-entries.ts";

/** A file or a directory. Names are bytes, and may be no valid text. */
export interface Entry {
  /** The path below the root; of a directory, with `/` at its end. */
  readonly key: Buffer;
  /** The absolute path. */
  readonly location: Buffer;
  readonly isDirectory: boolean;
}

interface OpenDirectory {
  readonly directory: Entry;
  /** Of its file system; undefined if it could not be looked at. */
  readonly device: bigint | undefined;
  /** In the order of the keys. */
  readonly entries: readonly Dirent<Buffer>[];
  /** How many of them are done. */
  done: number;
}

export interface WalkOptions {
  /** The directory's absolute path. */
  readonly root: string;
  /** Absolute paths of files and directories that are skipped, with all under them. */
  readonly excluded: ReadonlySet<string>;
  /** The walk adds its counts to these. */
  readonly skipped: SkippedEntries;
  /** Tests let it fail. */
  readonly readEntries?: ReadEntries;
}

interface FoundEntries {
  readonly entries: readonly Entry[];
  readonly leftOut: readonly LeftOut[];
  /** Whether a directory was gone when it was to be read. */
  readonly hasVanished: boolean;
}

export type ReadEntries = (location: Buffer) => Promise<Dirent<Buffer>[]>;

/** Walks through the keys under a directory. Holds the names of the open directories. */
export class KeyOrderWalk {
  readonly #options: WalkOptions;
  readonly #open: OpenDirectory[] = [];
  /** Those that were open at any time since the last call of `next` began. */
  #opened: OpenDirectory[] = [];
  #leftOut: LeftOut[] = [];
  #hasVanished = false;
  #hasBegun = false;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  /** Returns at most `count` entries; none at the end. Their types may have changed meanwhile. */
  async next(count: number): Promise<FoundEntries> {
    this.#opened = [...this.#open];
    if (!this.#hasBegun) await this.#begin();
    const entries: Entry[] = [];
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      const entry = open.entries[open.done];
      if (entry === undefined) this.#open.pop();
      else if (entries.length === count) break;
      else {
        open.done += 1;
        const found = await this.#visit(open.directory, entry);
        if (found !== undefined) entries.push(found);
      }
    }
    const found = { entries, leftOut: this.#leftOut, hasVanished: this.#hasVanished };
    this.#leftOut = [];
    this.#hasVanished = false;
    return found;
  }

  /**
   * Throws if a directory of the last call of `next` is on another file system than before: what
   * vanished is probably still there, but no longer mounted.
   */
  async requireMounted(): Promise<void> {
    for (const { directory, device } of this.#opened) {
      const found = await deviceOf(directory.location);
      if (found === undefined || device === undefined || found === device) continue;
      const name = JSON.stringify(externalPathOf(keyOfBytes(directory.key)));
      throw new Error(`${name} is on another file system than before: ${checkMount}`);
    }
  }

  async #begin(): Promise<void> {
    this.#hasBegun = true;
    const location = Buffer.from(this.#options.root);
    await this.#openDirectory({ key: Buffer.alloc(0), location, isDirectory: true });
  }

  /** The entry, if it can be listed. Opens it if it is a directory. */
  async #visit(parent: Entry, found: Dirent<Buffer>): Promise<Entry | undefined> {
    const entry = entryOf(parent, found);
    if (this.#isSkipped(found, entry)) return undefined;
    return !entry.isDirectory || (await this.#enter(entry)) ? entry : undefined;
  }

  #isSkipped(found: Dirent<Buffer>, { location }: Entry): boolean {
    const { excluded, skipped } = this.#options;
    if (excluded.size > 0 && excluded.has(location.toString())) skipped.excluded += 1;
    else if (found.isFile() || found.isDirectory()) return false;
    else if (found.isSymbolicLink()) skipped.symbolicLinks += 1;
    else skipped.specialFiles += 1;
    return true;
  }

  /** Opens a directory; returns whether it can be listed. */
  async #enter(directory: Entry): Promise<boolean> {
    const key = keyOfBytes(directory.key);
    try {
      // If the index cannot hold the path of a directory, it cannot hold anything under it.
      pathOfKey(key, 0, { prefix: "", mountPath: "/" });
      await this.#openDirectory(directory);
      return true;
    } catch (error) {
      if (isGone(error) && !(await isDirectory(directory.location))) {
        this.#hasVanished = true;
        return false;
      }
      const isUnreadable = !(error instanceof KeyError);
      this.#leftOut.push({ key, reason: reasonOf(error), isUnreadable });
      return false;
    }
  }

  async #openDirectory(directory: Entry): Promise<void> {
    const open = { directory, ...(await this.#readOnDevice(directory.location)), done: 0 };
    this.#open.push(open);
    this.#opened.push(open);
  }

  /** Reading a directory may mount a file system there, and another program may unmount one. */
  async #readOnDevice(location: Buffer): Promise<Pick<OpenDirectory, "device" | "entries">> {
    for (let attempt = 1; ; attempt += 1) {
      const before = await deviceOf(location);
      const entries = await this.#readSorted(location);
      const found = await lookAt(location);
      // If there is a symbolic link now, it may have been followed.
      if (found?.isDirectory() === false) throw new ReplacedDirectoryError("not a directory");
      const device = found?.dev;
      if (device === before || attempt === attemptsMax) return { device, entries };
    }
  }

  /** Sorted so that their keys, and those of everything under them, are in order. */
  async #readSorted(location: Buffer): Promise<Dirent<Buffer>[]> {
    const entries = await this.#readEntries(location);
    return entries
      .map((entry) => ({ entry, sortName: sortName(entry) }))
      .sort((a, b) => a.sortName.compare(b.sortName))
      .map(({ entry }) => entry);
  }

  /**
   * Where the file system does not tell types with the names (some of NFS and FUSE), Node looks at
   * each entry, and reports one that vanished meanwhile as if the directory were gone.
   */
  async #readEntries(location: Buffer): Promise<Dirent<Buffer>[]> {
    const readEntries: ReadEntries = this.#options.readEntries ?? readWithTypes;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await readEntries(location);
      } catch (error) {
        const isFinal = attempt === attemptsMax || !isGone(error);
        if (isFinal || !(await isDirectory(location))) throw error;
      }
    }
  }
}

/** Advice when much seems to have vanished. */
export const checkMount = "check whether its file system is mounted";

class ReplacedDirectoryError extends Error {
  readonly code = "ENOTDIR";
}

/** Each fails only if something changes during it. */
const attemptsMax = 5;

function readWithTypes(location: Buffer): Promise<Dirent<Buffer>[]> {
  return readdir(location, { withFileTypes: true, encoding: "buffer" });
}

/** True also if the type cannot be determined: only what is known to be gone counts as gone. */
async function isDirectory(location: Buffer): Promise<boolean> {
  try {
    return (await lstat(location)).isDirectory();
  } catch (error) {
    return !isGone(error);
  }
}

/** Undefined if there is nothing, or it cannot be looked at. */
function lookAt(location: Buffer): Promise<BigIntStats | undefined> {
  return lstat(location, { bigint: true }).catch(() => undefined);
}

async function deviceOf(location: Buffer): Promise<bigint | undefined> {
  return (await lookAt(location))?.dev;
}

function reasonOf(error: unknown): string {
  if (error instanceof KeyError) return error.message;
  return isGone(error) ? "its entries change while it is read" : systemErrorText(error);
}

function sortName(entry: Dirent<Buffer>): Buffer {
  return entry.isDirectory() ? Buffer.concat([entry.name, slash]) : entry.name;
}

function entryOf({ key, location }: Entry, found: Dirent<Buffer>): Entry {
  const isRoot = location.length === 1;
  const isDirectory = found.isDirectory();
  return {
    key: Buffer.concat(isDirectory ? [key, found.name, slash] : [key, found.name]),
    location: Buffer.concat(isRoot ? [location, found.name] : [location, slash, found.name]),
    isDirectory,
  };
}

const slash = Buffer.from("/");

/** Whether it vanished, or became something else, after its name was read. */
export function isGone(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}
