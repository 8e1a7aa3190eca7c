/** Where the embedded database is on disk. */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../logger.ts";
import { canEnter, chooseServerUser, type ServerUser } from "./server-user.ts";

/** Files of one embedded database. */
export interface Location {
  readonly user: ServerUser | undefined;
  /** PostgreSQL's data directory; only the server's user can enter. */
  readonly folder: string;
  readonly logFile: string;
}

/** The folder of root programs for files that other users must be able to read. */
export const sharedFolder = "/var/lib/stowage";

/**
 * Makes the folder `postgres` in a data folder.
 *
 * @throws if it cannot be made or belongs to another user.
 */
export async function prepareHome(dataDir: string): Promise<string> {
  try {
    const home = join(dataDir, "postgres");
    await makeFolder(dataDir);
    await makeFolder(home);
    await requireOwner(home);
    return await realpath(home);
  } catch (error) {
    const advice = "set DATA_DIR to a folder of your own, or DATABASE_URL to use another database";
    throw new Error(`Cannot use the data folder ${dataDir} (${advice})`, { cause: error });
  }
}

interface LocationOptions {
  readonly home: string;
  /**
   * Whether the folder is the default, so that another may be used if the server cannot reach it.
   */
  readonly isDefault: boolean;
  /** For tests. */
  readonly sharedFolder?: string;
  readonly logger: Pick<Logger, "info" | "warn">;
}

/** Finds where the database is or will be. Only the program that starts the server calls it. */
export async function findLocation(options: LocationOptions): Promise<Location> {
  const { home, logger } = options;
  const noted = await readNote(home);
  if (noted !== undefined && (await isFolder(noted))) {
    logger.info({ folder: noted }, "the embedded database is outside the data folder");
    return await locationIn(noted);
  }
  if (noted !== undefined) {
    logger.warn(
      { folder: noted },
      "the folder of the embedded database is gone: a new one is made",
    );
    await rm(noteFile(home));
  }
  const location = await locationIn(home);
  if (location.user === undefined || (await canEnter(location.user, home))) return location;
  if (!options.isDefault) {
    throw new Error(
      `Cannot keep a database in ${home}: PostgreSQL does not run as root, and user ` +
        `${location.user.uid}, who runs it instead, cannot enter the folder; allow that ` +
        "(chmod o+x on the folders above), set DATA_DIR to another folder, or run as another user",
    );
  }
  return await moveElsewhere(options);
}

/** PostgreSQL's data directory, once another program has found where it will be. */
export async function knownCluster(home: string): Promise<string> {
  return clusterIn((await readNote(home)) ?? home);
}

/** Records the new location in the home, so that removing the data folder also forgets it. */
async function moveElsewhere({ home, logger, ...options }: LocationOptions): Promise<Location> {
  const shared = options.sharedFolder ?? sharedFolder;
  const folder = join(shared, randomBytes(8).toString("hex"));
  await makeFolder(shared, 0o755);
  await makeFolder(folder);
  await writeFile(noteFile(home), `${folder}\n`, { flag: "wx", mode: 0o600 });
  logger.warn(
    { dataDir: home, folder },
    "the user who runs PostgreSQL cannot enter the data folder: the database is kept elsewhere",
  );
  return await locationIn(folder);
}

function noteFile(home: string): string {
  return join(home, "location");
}

async function readNote(home: string): Promise<string | undefined> {
  try {
    return (await readFile(noteFile(home), "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Makes a folder with this mode, whatever the umask. Does not change an existing one. */
export async function makeFolder(path: string, mode = privateMode()): Promise<void> {
  const created = await mkdir(path, { recursive: true, mode });
  if (created !== undefined) await chmod(path, mode);
}

/** The server user of a root program must pass through, but only root may list the folder. */
function privateMode(): number {
  return process.getuid?.() === 0 ? 0o711 : 0o700;
}

async function locationIn(folder: string): Promise<Location> {
  const cluster = clusterIn(folder);
  return {
    user: await chooseServerUser(cluster),
    folder: cluster,
    logFile: join(folder, "server.log"),
  };
}

function clusterIn(folder: string): string {
  return join(folder, "cluster");
}

async function requireOwner(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  const own = process.getuid?.();
  if (uid !== own && own !== 0) {
    throw new Error(`it belongs to user ${uid}, this program runs as user ${own}`);
  }
}
