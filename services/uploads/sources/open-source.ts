/** Makes the lister of a source. */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
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
  /** Of a directory: what its listings so far left out. */
  readonly skipped?: SkippedEntries;
}

interface OpenOptions {
  /** That of the embedded database, which a directory source leaves out. */
  readonly databaseFolder: string | undefined;
  /** The address of the Inventory report that is read in place of the bucket. */
  readonly inventory?: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws Error if the place cannot be reached. */
export async function openSource(source: Source, options: OpenOptions): Promise<OpenedSource> {
  const { location, mountPath, lastCompleteAt } = source;
  const { databaseFolder, inventory, signal } = options;
  if (location.kind === "directory") {
    const lister = await openDirectory(location, databaseFolder);
    return { lister, mount: { prefix: "", mountPath }, skipped: lister.skipped };
  }
  const manifest = inventory === undefined ? undefined : parseManifestAddress(inventory);
  const { listStore } = await import("./list-store.ts");
  const listed = await listStore({ location, manifest, lastCompleteAt }, signal);
  return { ...listed, mount: { prefix: location.prefix, mountPath } };
}

/** The folder of the embedded database, if that is used. Directory sources leave it out. */
export function databaseFolderOf(settings: {
  readonly databaseUrl: string | undefined;
  readonly dataDir: { readonly path: string };
}): string | undefined {
  return settings.databaseUrl === undefined ? join(settings.dataDir.path, "postgres") : undefined;
}

/** @throws Error if the directory cannot be reached. */
export async function openDirectory(
  { directory, exclude }: Pick<DirectoryLocation, "directory" | "exclude">,
  databaseFolder: string | undefined,
): Promise<DirectoryLister> {
  try {
    const root = await realpath(directory);
    const excluded = exclude.map((path) => join(root, path));
    const database = databaseFolder && (await realpath(databaseFolder).catch(() => undefined));
    return directoryLister({
      root,
      excluded: new Set(database ? [...excluded, database] : excluded),
    });
  } catch (error) {
    throw new Error(`Cannot list ${directory}: ${systemErrorText(error)}`);
  }
}
