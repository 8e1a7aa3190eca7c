/** Looks for single files of a directory, apart from its listings. */
import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { bytesOfKey, type Key } from "../keys.ts";
import type { Presence } from "../lister.ts";
import { isGone } from "./key-order-walk.ts";

interface FindOptions {
  /** The directory's path without symbolic links. */
  readonly root: string;
  /** Absolute paths that are left out, with all under them. */
  readonly excluded: ReadonlySet<string>;
}

/** Returns of each key whether a listing would have a file there, in their order. */
export async function findFiles(
  keys: readonly Key[],
  { root, excluded }: FindOptions,
): Promise<readonly Presence[]> {
  const start = Buffer.from(root === "/" ? "/" : `${root}/`);
  const folders = new Map<string, Promise<Presence>>();
  const findFile = async (key: Key): Promise<Presence> => {
    const path = Buffer.concat([start, bytesOfKey(key)]);
    if (isExcluded(path.toString(), excluded)) return "absent";
    const folder = path.subarray(0, path.lastIndexOf("/") || 1);
    const name = folder.toString("latin1");
    const found = folders.get(name) ?? findFolder(folder);
    folders.set(name, found);
    return (await found) === "present" ? await presenceOf(path) : await found;
  };
  const found: Presence[] = [];
  for (let done = 0; done < keys.length; done += atOnce) {
    found.push(...(await Promise.all(keys.slice(done, done + atOnce).map(findFile))));
  }
  return found;
}

const atOnce = 256;

async function presenceOf(path: Buffer): Promise<Presence> {
  try {
    return (await lstat(path)).isFile() ? "present" : "absent";
  } catch (error) {
    return isGone(error) ? "absent" : "unknown";
  }
}

/** Listings do not follow symbolic links. */
async function findFolder(path: Buffer): Promise<Presence> {
  try {
    const real = await realpath(path, { encoding: "buffer" });
    return real.equals(path) ? "present" : "absent";
  } catch (error) {
    return isGone(error) ? "absent" : "unknown";
  }
}

function isExcluded(path: string, excluded: ReadonlySet<string>): boolean {
  for (let at = path; at !== "/"; at = dirname(at)) if (excluded.has(at)) return true;
  return false;
}
