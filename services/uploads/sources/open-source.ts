/** Makes the lister of a source. */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { type DataDir, sharedFolder } from "@stowage/process";
import { systemErrorText } from "../import/report.ts";
import { type DirectoryLister, directoryLister } from "./directory/list-directory.ts";
import type { SkippedEntries } from "./directory/skipped-entries.ts";
import type { Mount } from "./keys.ts";
import type { OpenedListing } from "./lister.ts";
import { parseManifestAddress } from "./s3/store-location.ts";
import type { DirectoryLocation, Source } from "./source.ts";

export interface OpenedSource extends OpenedListing {
  readonly mount: Mount;
  /** Of a directory: what its listings so far left out. */
  readonly skipped?: SkippedEntries;
}

interface OpenOptions {
  readonly dataFolders: readonly DataFolder[];
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

/** A folder with keys or passwords. Callers can read what a source lists, so they leave it out. */
interface DataFolder {
  readonly path: string;
  /** Whether other folders in it may be listed. */
  readonly mayHoldSources: boolean;
}

/** The default `./data` belongs to the embedded database; with another, it may be any folder. */
export function dataFoldersOf(settings: {
  readonly databaseUrl: string | undefined;
  readonly dataDir: DataDir;
}): readonly DataFolder[] {
  const { databaseUrl, dataDir } = settings;
  const shared = { path: sharedFolder, mayHoldSources: false };
  if (databaseUrl !== undefined && dataDir.isDefault) return [shared];
  return [
    { path: dataDir.path, mayHoldSources: true },
    { path: join(dataDir.path, "postgres"), mayHoldSources: false },
    shared,
  ];
}

/** @throws Error if the directory cannot be reached, or has keys or passwords of Stowage. */
export async function openDirectory(
  { directory, exclude }: Pick<DirectoryLocation, "directory" | "exclude">,
  dataFolders: readonly DataFolder[],
): Promise<DirectoryLister> {
  try {
    const root = await realpath(directory);
    const excluded = new Set(exclude.map((path) => join(root, path)));
    for (const { path, mayHoldSources } of dataFolders) {
      const folder = await realpath(path).catch(() => undefined);
      if (folder === undefined) continue;
      const isIn = `${root}/`.startsWith(`${folder}/`);
      if (root === folder || (isIn && !mayHoldSources)) throw new Error(dataFolderText);
      excluded.add(folder);
    }
    return directoryLister({ root, excluded });
  } catch (error) {
    throw new Error(`Cannot list ${directory}: ${systemErrorText(error)}`);
  }
}

const dataFolderText = "it has keys or passwords of Stowage (see DATA_DIR): need another directory";
