import { opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { DirectoryLocation } from "../source.ts";

/** A folder with keys or passwords. Callers can read what a source lists, so they leave it out. */
export interface DataFolder {
  readonly path: string;
  /** Whether other folders in it may be listed. */
  readonly mayHoldSources: boolean;
}

export interface DirectoryPlace extends Pick<DirectoryLocation, "directory" | "exclude"> {
  readonly dataFolders: readonly DataFolder[];
  /** The mount points that earlier runs found: see `findMountPoints`. */
  readonly knownMounts?: readonly string[];
}

/**
 * Returns the path of the directory without symbolic links, and the paths that are left out.
 *
 * @throws Error if the directory cannot be reached, or has keys or passwords of Stowage.
 */
export async function openDirectory({ directory, exclude, dataFolders }: DirectoryPlace): Promise<{
  readonly root: string;
  readonly excluded: ReadonlySet<string>;
}> {
  const root = await realpath(directory);
  await (await opendir(root)).close();
  const excluded = new Set(exclude.map((path) => join(root, path)));
  for (const { path, mayHoldSources } of dataFolders) {
    const folder = await realpath(path).catch(() => undefined);
    if (folder === undefined) continue;
    const isIn = `${root}/`.startsWith(`${folder}/`);
    if (root === folder || (isIn && !mayHoldSources)) throw new Error(dataFolderText);
    excluded.add(folder);
  }
  return { root, excluded };
}

const dataFolderText = "it has keys or passwords of Stowage (see DATA_DIR): need another directory";
