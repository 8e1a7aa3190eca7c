/** Makes the lister of a source. */
import { join } from "node:path";
import { type DataDir, sharedFolder } from "@stowage/process";
import { listInProcess } from "./directory/list-in-process.ts";
import type { MountPoints } from "./directory/mount-points.ts";
import type { DataFolder } from "./directory/open-directory.ts";
import type { SkippedEntries } from "./directory/skipped-entries.ts";
import type { Mount } from "./keys.ts";
import type { OpenedListing } from "./lister.ts";
import { parseManifestAddress } from "./s3/store-location.ts";
import type { Source } from "./source.ts";

export interface OpenedSource extends OpenedListing {
  readonly mount: Mount;
  /** Of a directory: what its listings so far left out. */
  readonly skipped?: SkippedEntries;
  /** Of a directory, when it is listed. */
  readonly mounts?: MountPoints;
}

interface OpenOptions {
  readonly dataFolders: readonly DataFolder[];
  /** The address of the Inventory report that is read in place of the bucket. */
  readonly inventory?: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws Error if a report is to be read and cannot be reached. */
export async function openSource(source: Source, options: OpenOptions): Promise<OpenedSource> {
  const { location, mountPath, listedAt, knownMounts } = source;
  const { dataFolders, inventory, signal } = options;
  if (location.kind === "directory") {
    const { directory, exclude } = location;
    const lister = listInProcess({ directory, exclude, dataFolders, knownMounts });
    const { skipped, mounts } = lister;
    return { lister, mount: { prefix: "", mountPath }, skipped, mounts };
  }
  const manifest = inventory === undefined ? undefined : parseManifestAddress(inventory);
  const { listStore } = await import("./list-store.ts");
  const listed = await listStore({ location, manifest, listedAt }, signal);
  return { ...listed, mount: { prefix: location.prefix, mountPath } };
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
