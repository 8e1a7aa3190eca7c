/** Makes the lister of a source. */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { type DataDir, sharedFolder } from "@stowage/process";
import { systemErrorText } from "../import/report.ts";
import { type DirectoryLister, directoryLister } from "./directory/list-directory.ts";
import type { SkippedEntries } from "./directory/skipped-entries.ts";
import type { Mount } from "./keys.ts";
import type { Lister } from "./listed-object.ts";
import { parseManifestAddress } from "./s3/store-location.ts";
import type { DirectoryLocation, Source } from "./source.ts";

export interface OpenedSource {
  readonly lister: Lister;
  readonly mount: Mount;
  /** Objects that changed after this time may be missing in the listing: they are not deleted. */
  readonly madeAt?: Date;
  /** In lower-case hexadecimal: tells an Inventory report from others at the same address. */
  readonly reportMd5?: string;
  /** Of a directory: what its listings so far left out. */
  readonly skipped?: SkippedEntries;
}

interface OpenOptions {
  /** See `dataFoldersOf`. */
  readonly dataFolders: readonly string[];
  /** The address of the Inventory report that is read in place of the bucket. */
  readonly inventory?: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws Error if the place cannot be reached. */
export async function openSource(source: Source, options: OpenOptions): Promise<OpenedSource> {
  const { location, mountPath, lastCompleteAt } = source;
  const { dataFolders, inventory, signal } = options;
  if (location.kind === "directory") {
    const lister = await openDirectory(location, dataFolders);
    return { lister, mount: { prefix: "", mountPath }, skipped: lister.skipped };
  }
  const manifest = inventory === undefined ? undefined : parseManifestAddress(inventory);
  const { listStore } = await import("./list-store.ts");
  const listed = await listStore({ location, manifest, lastCompleteAt }, signal);
  return { ...listed, mount: { prefix: location.prefix, mountPath } };
}

/**
 * The folders with keys and the embedded database. Directory sources leave them out, because
 * callers can read what a source lists. With another database, the default `./data` may have
 * anything.
 */
export function dataFoldersOf(settings: {
  readonly databaseUrl: string | undefined;
  readonly dataDir: DataDir;
}): readonly string[] {
  const { databaseUrl, dataDir } = settings;
  const isUsed = databaseUrl === undefined || !dataDir.isDefault;
  return isUsed ? [dataDir.path, sharedFolder] : [sharedFolder];
}

/** @throws Error if the directory cannot be reached, or if it is a data folder or in a database. */
export async function openDirectory(
  { directory, exclude }: Pick<DirectoryLocation, "directory" | "exclude">,
  dataFolders: readonly string[],
): Promise<DirectoryLister> {
  try {
    const root = await realpath(directory);
    const found = dataFolders.map((folder) => realpath(folder).catch(() => []));
    const data = (await Promise.all(found)).flat();
    requireOtherThan(data, root);
    const excluded = exclude.map((path) => join(root, path));
    return directoryLister({ root, excluded: new Set([...excluded, ...data]) });
  } catch (error) {
    throw new Error(`Cannot list ${directory}: ${systemErrorText(error)}`);
  }
}

function requireOtherThan(dataFolders: readonly string[], root: string): void {
  for (const folder of dataFolders) {
    if (root !== folder && !`${root}/`.startsWith(`${folder}/postgres/`)) continue;
    throw new Error("it is a data folder of Stowage, with its keys and passwords (DATA_DIR)");
  }
}
