/** Reads everything under a directory as records. Symbolic links are not followed. */
import { isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { normalisePath, PathError } from "../../model/path.ts";
import type { ImportRecord } from "../records/record.ts";
import { type ErrorReport, systemErrorText } from "../report.ts";
import { FileError, uploadOfFile } from "./file-upload.ts";

interface WalkOptions {
  /** The directory's absolute path. */
  readonly root: string;
  readonly bucketId: string;
  /** Absolute paths of files and directories that are left out, with all under them. */
  readonly leftOut: ReadonlySet<string>;
  /** Collects the entries that cannot be imported, with the reasons. */
  readonly errors: ErrorReport;
  /** Called after every batch. */
  readonly onProgress: (totals: WalkTotals) => void;
}

/** The entries found so far. */
export interface WalkTotals {
  files: number;
  symbolicLinks: number;
  /** Sockets, devices, pipes. */
  specialFiles: number;
  /** Paths of `WalkOptions.leftOut` that exist. */
  leftOut: number;
}

/** Files that are looked at together. */
const batchSize = 128;

/**
 * The records of the directory and of everything under it, in batches. Entries that vanish during
 * the walk are left out. Updates `totals`.
 */
export async function* walkDirectory(
  options: WalkOptions,
  totals: WalkTotals,
): AsyncGenerator<readonly ImportRecord[]> {
  const walk = new Walk(options, totals);
  for (let next = walk.next(); next !== undefined; next = walk.next()) {
    const entries = await walk.enter(next);
    if (entries === undefined) continue;
    yield [{ kind: "directory", bucketId: options.bucketId, path: next.path }];
    for (let from = 0; from < entries.length; from += batchSize) {
      yield await walk.records(next, entries.slice(from, from + batchSize));
      options.onProgress(totals);
    }
  }
}

interface Directory {
  /** On disk, where names are bytes and may be invalid text. */
  readonly location: Buffer;
  /** In the index. */
  readonly path: string;
}

type Entry = Dirent<Buffer>;

class Walk {
  readonly #options: WalkOptions;
  readonly #totals: WalkTotals;
  readonly #waiting: Directory[];
  #line = 0;

  constructor(options: WalkOptions, totals: WalkTotals) {
    this.#options = options;
    this.#totals = totals;
    this.#waiting = [{ location: Buffer.from(options.root), path: "/" }];
  }

  next(): Directory | undefined {
    return this.#waiting.pop();
  }

  /** The entries of the directory; undefined if it cannot be read. */
  async enter({ location }: Directory): Promise<Entry[] | undefined> {
    try {
      return await readdir(location, { withFileTypes: true, encoding: "buffer" });
    } catch (error) {
      this.#note(location, error);
      return undefined;
    }
  }

  async records(directory: Directory, entries: readonly Entry[]): Promise<ImportRecord[]> {
    const records = entries.map((entry) => {
      if (this.#isLeftOut(directory, entry)) return undefined;
      if (entry.isFile()) return this.#file(directory, entry);
      if (entry.isDirectory()) this.#addDirectory(directory, entry);
      else if (entry.isSymbolicLink()) this.#totals.symbolicLinks += 1;
      else this.#totals.specialFiles += 1;
      return undefined;
    });
    return (await Promise.all(records)).filter((record) => record !== undefined);
  }

  #isLeftOut(parent: Directory, { name }: Entry): boolean {
    const { leftOut } = this.#options;
    if (leftOut.size === 0 || !leftOut.has(locationOf(parent, name).toString())) return false;
    this.#totals.leftOut += 1;
    return true;
  }

  #addDirectory(parent: Directory, { name }: Entry): void {
    const location = locationOf(parent, name);
    try {
      const inParent = parent.path === "/" ? "" : parent.path;
      this.#waiting.push({ location, path: normalisePath(`${inParent}/${textOf(name)}`) });
    } catch (error) {
      this.#note(location, error);
    }
  }

  async #file(parent: Directory, { name }: Entry): Promise<ImportRecord | undefined> {
    const location = locationOf(parent, name);
    const { bucketId } = this.#options;
    this.#line += 1;
    const line = this.#line;
    try {
      const filename = textOf(name);
      const stats = await lstat(location, { bigint: true });
      const upload = uploadOfFile({ bucketId, path: parent.path, filename, stats });
      this.#totals.files += 1;
      return { kind: "upload", line, bucketId, upload };
    } catch (error) {
      this.#note(location, error);
      return undefined;
    }
  }

  #note(location: Buffer, error: unknown): void {
    if (isMissing(error) && !location.equals(Buffer.from(this.#options.root))) return;
    const reason =
      error instanceof PathError ? `its path ${error.message}` : systemErrorText(error);
    this.#options.errors.add(`${shown(location)}: ${reason}`);
  }
}

function locationOf({ location }: Directory, name: Buffer): Buffer {
  const isRoot = location.length === 1;
  return Buffer.concat(isRoot ? [location, name] : [location, slash, name]);
}

const slash = Buffer.from("/");

function textOf(name: Buffer): string {
  if (isUtf8(name)) return name.toString();
  throw new FileError("its name is not valid UTF-8");
}

// Bytes that are not UTF-8 are shown as numbers.
function shown(location: Buffer): string {
  if (isUtf8(location)) return location.toString();
  const text = location.toString("latin1");
  return text.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT";
}
