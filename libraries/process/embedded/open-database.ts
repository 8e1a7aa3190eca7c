/**
 * The database a program was told to use, or an embedded PostgreSQL that all programs with the same
 * data folder share: the first to come starts it, the last to go stops it, and one that was left
 * behind by killed programs is taken over.
 */
import { randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Logger } from "../logger.ts";
import { prepareBinaries } from "./binaries.ts";
import {
  type Cluster,
  createCluster,
  removePartial,
  requireSameMajor,
  startCluster,
  stopCluster,
  writePrivate,
} from "./cluster.ts";
import { prepareDatabase } from "./database.ts";
import { exclusively } from "./exclusive.ts";
import { isLeased, type Lease, returnLease, takeLease } from "./leases.ts";
import { findLocation, type Location, prepareHome, sharedFolder } from "./location.ts";

/** A folder for data. What was chosen by nobody may be replaced when it does not serve. */
export interface DataDir {
  readonly path: string;
  readonly isDefault: boolean;
}

export interface Database {
  readonly databaseUrl: string;
  /**
   * Gives the database back. Close all connections first: the last user's call stops the server.
   */
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  /** PostgreSQL to use; without it the embedded one. */
  readonly databaseUrl?: string | undefined;
  /** Folder of the embedded one; a plain path counts as chosen on purpose. */
  readonly dataDir: DataDir | string;
  readonly logger: Logger;
  /** Settings of the embedded server, also in place of its own; whoever starts it decides. */
  readonly serverSettings?: Readonly<Record<string, string>>;
  /** For tests: the npm package of the programs, and root's place for what others must reach. */
  readonly packageFolder?: string;
  readonly sharedFolder?: string;
}

/**
 * Opens the database: the given one as it is, or the embedded one, made and started if need be.
 *
 * @throws when the folder cannot be used, was written by another major version of PostgreSQL, or
 *   the server does not start; the message says what to do.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  if (options.databaseUrl !== undefined) {
    return { databaseUrl: options.databaseUrl, close: async () => undefined };
  }
  const { path, isDefault } =
    typeof options.dataDir === "string"
      ? { path: options.dataDir, isDefault: false }
      : options.dataDir;
  const home = await prepareHome(resolve(path));
  const lock = { timeoutMs: lockTimeoutMs };
  const opened = await exclusively(home, () => open(home, isDefault, options), lock);

  let closing: Promise<void> | undefined;
  return {
    databaseUrl: opened.databaseUrl,
    close() {
      closing ??= exclusively(home, () => close(opened, options.logger), lock);
      return closing;
    },
  };
}

/** Longer than the slowest start, which repeats what a crashed server had not yet written. */
const lockTimeoutMs = 600_000;

interface Opened {
  readonly databaseUrl: string;
  readonly cluster: Cluster;
  readonly location: Location;
  readonly lease: Lease;
}

async function open(
  home: string,
  isDefault: boolean,
  options: OpenDatabaseOptions,
): Promise<Opened> {
  const { logger } = options;
  const shared = options.sharedFolder ?? sharedFolder;
  const location = await findLocation({ home, isDefault, sharedFolder: shared, logger });
  const cluster = await openCluster(location, home, shared, options);
  const password = await readPassword(location.passwordFile);
  // Taken before the start: whatever fails from here on is undone by `close`.
  const lease = await takeLease(location.leasesFolder);
  try {
    const port = await startCluster(cluster);
    const databaseUrl = await prepareDatabase({ port, password });
    logger.info({ port, folder: location.cluster }, "the embedded database is running");
    return { databaseUrl, cluster, location, lease };
  } catch (error) {
    await close({ cluster, location, lease }, logger);
    throw error;
  }
}

async function openCluster(
  location: Location,
  home: string,
  shared: string,
  options: OpenDatabaseOptions,
): Promise<Cluster> {
  const { user, cluster: folder, logFile, passwordFile } = location;
  const binaries = await prepareBinaries({
    user,
    copiesFolder: user === undefined ? join(home, "programs") : shared,
    ...(options.packageFolder !== undefined && { packageFolder: options.packageFolder }),
  });
  const settings = options.serverSettings ?? {};
  const cluster: Cluster = { binaries, user, folder, logFile, settings };
  await removePartial(folder);
  if (await exists(folder)) {
    await requireSameMajor(cluster);
  } else {
    options.logger.info({ folder }, "making the embedded database");
    // The password is there before the database, so that no database is without one.
    if (!(await exists(passwordFile))) {
      await writePrivate(passwordFile, randomBytes(24).toString("hex"), undefined);
    }
    await createCluster(cluster, await readPassword(passwordFile));
  }
  return cluster;
}

async function close(
  { cluster, location, lease }: Omit<Opened, "databaseUrl">,
  logger: Logger,
): Promise<void> {
  await returnLease(lease);
  if (await isLeased(location.leasesFolder)) return;
  await stopCluster(cluster);
  logger.info({ folder: location.cluster }, "the embedded database has stopped");
}

async function readPassword(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error) => {
    throw new Error("Cannot read the password of the embedded database", { cause: error });
  });
  return text.trim();
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
