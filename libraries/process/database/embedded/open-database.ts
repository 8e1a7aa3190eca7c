/**
 * Opens the database at a given address, or an embedded PostgreSQL that all programs with the same
 * data folder share. Each program has a shared lock on a file while it uses the server. The first
 * one starts the server, which ends when no program has that lock.
 */
import type { FileHandle } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../../logger.ts";
import { isWorker } from "../../workers/worker-process.ts";
import { isDatabaseUnavailable } from "../pool.ts";
import { prepareBinaries } from "./binaries.ts";
import {
  addressOf,
  ensureCluster,
  prepareDatabase,
  startServer,
  stopTimeoutSeconds,
} from "./cluster.ts";
import { lockFile, openLockFile } from "./file-lock.ts";
import { findLocation, knownCluster, prepareHome } from "./location.ts";

/** A data folder. The default may be replaced by another folder if it cannot be used. */
export interface DataDir {
  readonly path: string;
  readonly isDefault: boolean;
}

export interface Database {
  readonly databaseUrl: string;
  /** Releases the database. Close all connections first: the last user's call stops the server. */
  close(): Promise<void>;
}

interface OpenDatabaseOptions {
  /** PostgreSQL to use. Default: the embedded one. */
  readonly databaseUrl?: string | undefined;
  /** Folder of the embedded one. A plain path counts as chosen by the user. */
  readonly dataDir: DataDir | string;
  readonly logger: Logger;
  /** Settings that override those of the embedded server, if this program starts it. */
  readonly serverSettings?: Readonly<Record<string, string>>;
  /** For tests: the npm package of the programs, and the folder of root for other users. */
  readonly packageFolder?: string;
  readonly sharedFolder?: string;
}

/**
 * Opens the given database, or the embedded one, which is created and started if necessary.
 *
 * @throws if the folder cannot be used, another major version of PostgreSQL wrote it, or the server
 *   does not start. The message says what to do.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { logger, databaseUrl: given } = options;
  if (given !== undefined) {
    // A worker has the address from its primary.
    if (!isWorker()) logger.info(partsOf(given), "using the given database");
    return { databaseUrl: given, close: async () => undefined };
  }
  const { path, isDefault } =
    typeof options.dataDir === "string"
      ? { path: options.dataDir, isDefault: false }
      : options.dataDir;
  const home = await prepareHome(resolve(path));
  const use = await lockUse(home);
  try {
    const databaseUrl = await findServer(home, isDefault, options);
    let closing: Promise<void> | undefined;
    return {
      databaseUrl,
      close() {
        closing ??= use.close().then(() => untilStopped(home));
        return closing;
      },
    };
  } catch (error) {
    await use.close();
    throw error;
  }
}

/** Where the driver connects: some of it may come from variables such as PGHOST. */
function partsOf(databaseUrl: string) {
  const { host, port, database, user } = new pg.Client(databaseUrl);
  return { host, port, database, user };
}

async function lockUse(home: string): Promise<FileHandle> {
  const use = await lockFile(usersFile(home), "shared", stopTimeoutSeconds + 10);
  if (use === undefined) throw new Error(`Cannot use the database in ${home}: it does not stop`);
  return use;
}

function usersFile(home: string): string {
  return join(home, "users.lock");
}

function serverFile(home: string): string {
  return join(home, "server.lock");
}

/** Longer than another program takes to start the server, and one that is killed to end. */
const waitMaxMs = 300_000;
const pollMs = 50;

/** Waits until the server has stopped, unless another program uses it. */
async function untilStopped(home: string): Promise<void> {
  const isFree = async (file: string, mode: "exclusive" | "shared") => {
    await using lock = await lockFile(file, mode, 0);
    return lock !== undefined;
  };
  const deadline = performance.now() + stopTimeoutSeconds * 1000;
  while (performance.now() < deadline && !(await isFree(serverFile(home), "exclusive"))) {
    // Nobody uses it, but it has not noticed yet; or it does not give the lock to a user.
    const isStopping =
      (await isFree(usersFile(home), "exclusive")) || !(await isFree(usersFile(home), "shared"));
    if (!isStopping) return;
    await sleep(pollMs);
  }
}

/** Starts the server unless it runs. Returns the address. */
async function findServer(
  home: string,
  isDefault: boolean,
  options: OpenDatabaseOptions,
): Promise<string> {
  const deadline = performance.now() + waitMaxMs;
  let reason: unknown;
  while (performance.now() < deadline) {
    // The processes of the server inherit this lock, so it is free only when none of them runs.
    await using lock = await lockFile(serverFile(home), "exclusive", 0);
    if (lock !== undefined) await start(home, isDefault, options, lock);
    const folder = await knownCluster(home);
    try {
      await prepareDatabase(folder);
      return addressOf(folder);
    } catch (error) {
      // Another program has not started it yet.
      if (!isDatabaseUnavailable(error)) throw error;
      reason = error;
    }
    await sleep(pollMs);
  }
  throw new Error(
    `Cannot use the database in ${home}: a server runs there that does not answer, or one on ` +
      "another machine; stop that, set DATA_DIR to another folder, or set DATABASE_URL on both",
    { cause: reason },
  );
}

async function start(
  home: string,
  isDefault: boolean,
  options: OpenDatabaseOptions,
  lock: FileHandle,
): Promise<void> {
  const { logger, packageFolder, serverSettings = {} } = options;
  const location = await findLocation({ ...options, home, isDefault });
  const { user, folder } = location;
  const copiesFolder = options.sharedFolder;
  const binaries = await prepareBinaries({ user, copiesFolder, packageFolder });
  const cluster = { ...location, binaries, settings: serverSettings };
  await ensureCluster(cluster, logger);
  // Opened anew: it shares no lock with this program.
  await using users = await openLockFile(usersFile(home));
  await startServer(cluster, lock, users);
  logger.info({ folder }, "the embedded database is running");
}
