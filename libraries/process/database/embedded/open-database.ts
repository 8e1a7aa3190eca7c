/**
 * Opens the database at a given address, or an embedded PostgreSQL that all programs with the same
 * data folder share. The first program starts the server and the last one stops it. A server that
 * killed programs left running is reused, and one that dies is restarted.
 */
import { randomBytes } from "node:crypto";
import { type FileHandle, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import { errorText } from "../../error-text.ts";
import type { Logger } from "../../logger.ts";
import { isWorker } from "../../workers/worker-process.ts";
import { withSessionSettings } from "../pool.ts";
import { prepareBinaries } from "./binaries.ts";
import {
  type Cluster,
  createCluster,
  removePartial,
  requireSameMajor,
  startCluster,
  stopCluster,
  superuser,
} from "./cluster.ts";
import { explainFullDisk } from "./full-disk.ts";
import { keepRunning } from "./keep-running.ts";
import { findLocation, type Location, prepareHome, sharedFolder } from "./location.ts";
import { readLastPort } from "./postmaster.ts";
import { lockUnlessRunning } from "./server-lock.ts";
import { acquireLease, isLeased, type Lease, releaseLease, withFolderLock } from "./sharing.ts";
import { writePrivate } from "./write-private.ts";

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
  const withLock = <T>(action: () => Promise<T>) =>
    withFolderLock(home, action, { timeoutMs: lockTimeoutMs });
  const opened = await withLock(() => open(home, isDefault, options));
  const { cluster, port, databaseUrl } = opened;
  const stopWatching = keepRunning({ cluster, port, withLock, logger });

  let closing: Promise<void> | undefined;
  return {
    databaseUrl,
    close() {
      closing ??= stopWatching().then(() => withLock(() => close(opened, logger)));
      return closing;
    },
  };
}

/** Where the driver connects: some of it may come from variables such as PGHOST. */
function partsOf(databaseUrl: string) {
  const { host, port, database, user } = new pg.Client(databaseUrl);
  return { host, port, database, user };
}

/** Longer than the slowest start, which replays the changes of a crashed server. */
const lockTimeoutMs = 600_000;

interface Opened {
  readonly databaseUrl: string;
  readonly port: number;
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
  const { user, cluster: folder, logFile } = location;
  const binaries = await prepareBinaries({
    user,
    copiesFolder: user === undefined ? join(home, "programs") : shared,
    ...(options.packageFolder !== undefined && { packageFolder: options.packageFolder }),
  });
  const settings = options.serverSettings ?? {};
  const cluster: Cluster = { binaries, user, folder, logFile, settings };
  // Before anything is changed: programs in another container may use the folder.
  const lock = await lockUnlessRunning(cluster);
  try {
    return await openLocked(cluster, location, lock, options);
  } catch (error) {
    throw await explainFullDisk(error, folder);
  } finally {
    await lock?.close();
  }
}

/** @param lock The server's lock; undefined if the server runs. */
async function openLocked(
  cluster: Cluster,
  location: Location,
  lock: FileHandle | undefined,
  options: OpenDatabaseOptions,
): Promise<Opened> {
  const { logger } = options;
  await ensureCluster(cluster, location.passwordFile, logger);
  const password = await readPassword(location.passwordFile);
  // Others that use the server know its port, also if it has just died.
  const isShared = await isLeased(location.leasesFolder);
  const knownPort = isShared ? await readLastPort(location.cluster) : undefined;
  // Taken before the start, so that `close` cleans up if something fails from here on.
  const lease = await acquireLease(location.leasesFolder);
  try {
    const port = await startCluster(cluster, { port: knownPort, lock });
    const databaseUrl = await prepareDatabase({ port, password });
    logger.info({ port, folder: location.cluster }, "the embedded database is running");
    return { databaseUrl, port, cluster, location, lease };
  } catch (error) {
    // The caller needs the error of the start, not one that follows from it.
    await close({ cluster, location, lease }, logger).catch((closeError) => {
      const reason = errorText(closeError);
      logger.warn({ reason }, "the embedded database was not closed after it did not start");
    });
    throw error;
  }
}

async function ensureCluster(
  cluster: Cluster,
  passwordFile: string,
  logger: Logger,
): Promise<void> {
  const { folder } = cluster;
  await removePartial(folder);
  if (await exists(folder)) {
    await requireSameMajor(cluster);
  } else {
    logger.info({ folder }, "making the embedded database");
    // The password is stored first, so that no database is without one.
    if (!(await exists(passwordFile))) {
      await writePrivate(passwordFile, randomBytes(24).toString("hex"), undefined);
    }
    await createCluster(cluster, await readPassword(passwordFile));
  }
}

async function close(
  { cluster, location, lease }: Omit<Opened, "databaseUrl" | "port">,
  logger: Logger,
): Promise<void> {
  await releaseLease(lease);
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

interface PrepareOptions {
  readonly port: number;
  readonly password: string;
  /** For tests, which create databases. */
  readonly mayCreateDatabases?: boolean;
}

/** Role and database of the programs. */
const name = "stowage";

/**
 * Creates the database and the role that owns it, if they are missing, and returns the address. The
 * role has no rights over the server, so programs work exactly as with a database of someone else.
 */
export async function prepareDatabase(options: PrepareOptions): Promise<string> {
  const { port, password } = options;
  const client = new pg.Client({
    connectionString: withSessionSettings(addressOf(superuser, password, port, "postgres")),
    application_name: "stowage-start",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const role = await client.query("select from pg_roles where rolname = $1", [name]);
    if (role.rowCount === 0) {
      const right = options.mayCreateDatabases ? "createdb" : "nocreatedb";
      const secret = client.escapeLiteral(password);
      await client.query(`create role ${name} login ${right} password ${secret}`);
    }
    const database = await client.query("select from pg_database where datname = $1", [name]);
    if (database.rowCount === 0) {
      // From template0, since template1 may contain other objects.
      await client.query(`create database ${name} owner ${name} template template0`);
    }
  } finally {
    await client.end();
  }
  return addressOf(name, password, port, name);
}

/** With all that the driver would otherwise take from PGSSLMODE and its like of the environment. */
function addressOf(user: string, password: string, port: number, database: string): string {
  const server = `${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  return `postgresql://${server}/${database}?sslmode=disable&sslnegotiation=postgres`;
}
