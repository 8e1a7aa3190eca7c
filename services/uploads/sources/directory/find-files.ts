/** Looks for single files of a directory, and reads them, apart from its listings. */
import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { bytesOfKey, type Key } from "../keys.ts";
import type { ListedObject, Presence } from "../lister.ts";
import { isGone } from "./key-order-walk.ts";
import { objectOfDirectory, objectOfFile } from "./object-of-file.ts";

export interface FindOptions {
  /** The directory's path without symbolic links. */
  readonly root: string;
  /** Absolute paths that are left out, with all under them. */
  readonly excluded: ReadonlySet<string>;
}

/** Returns of each key whether a listing would have a file there, in their order. */
export function findFiles(
  keys: readonly Key[],
  options: FindOptions,
): Promise<readonly Presence[]> {
  return lookAtEach(keys, options, async (path, folder) =>
    folder === "present" ? await presenceOf(path) : folder,
  );
}

/**
 * Returns the files and directories that a listing would have at these paths. One that ends with
 * `/` is not read: a symbolic link there would be followed.
 */
export async function readFiles(
  keys: readonly Key[],
  options: FindOptions,
): Promise<readonly ListedObject[]> {
  const read = await lookAtEach(keys, options, async (path, folder, key) =>
    folder === "present" && path.at(-1) !== slash ? await readFile(path, key) : undefined,
  );
  return read.filter((object) => object !== undefined);
}

/** Calls `look` with each path, and with what is known of the folder that it is in. */
async function lookAtEach<Found>(
  keys: readonly Key[],
  { root, excluded }: FindOptions,
  look: (path: Buffer, folder: Presence, key: Key) => Promise<Found>,
): Promise<readonly Found[]> {
  const start = Buffer.from(root === "/" ? "/" : `${root}/`);
  const folders = new Map<string, Promise<Presence>>();
  const lookAt = async (key: Key): Promise<Found> => {
    const path = Buffer.concat([start, bytesOfKey(key)]);
    if (isExcluded(path.toString(), excluded)) return await look(path, "absent", key);
    const folder = path.subarray(0, path.lastIndexOf("/") || 1);
    const name = folder.toString("latin1");
    const found = folders.get(name) ?? findFolder(folder);
    folders.set(name, found);
    return await look(path, await found, key);
  };
  const found: Found[] = [];
  for (let done = 0; done < keys.length; done += atOnce) {
    found.push(...(await Promise.all(keys.slice(done, done + atOnce).map(lookAt))));
  }
  return found;
}

const slash = 0x2f;
const atOnce = 256;

async function presenceOf(path: Buffer): Promise<Presence> {
  try {
    return (await lstat(path)).isFile() ? "present" : "absent";
  } catch (error) {
    return isGone(error) ? "absent" : "unknown";
  }
}

async function readFile(path: Buffer, key: Key): Promise<ListedObject | undefined> {
  try {
    const stats = await lstat(path, { bigint: true });
    if (stats.isFile()) return objectOfFile(key, stats);
    return stats.isDirectory() ? objectOfDirectory(bytesOfKey(key)) : undefined;
  } catch {
    // Whether it is gone is asked before anything is deleted.
    return undefined;
  }
}

/** Listings do not follow symbolic links. */
async function findFolder(path: Buffer): Promise<Presence> {
  try {
    const real = await realpath(path, { encoding: "buffer" });
    return real.equals(path) ? "present" : "absent";
  } catch (error) {
    return isGone(error) || isLoop(error) ? "absent" : "unknown";
  }
}

/** A symbolic link that leads to itself took the place of a folder. */
function isLoop(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ELOOP";
}

function isExcluded(path: string, excluded: ReadonlySet<string>): boolean {
  for (let at = path; at !== "/"; at = dirname(at)) if (excluded.has(at)) return true;
  return false;
}
