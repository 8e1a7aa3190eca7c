/** Where the embedded database lies on disk. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../logger.ts";
import { canEnter, chooseServerUser, type ServerUser } from "./server-user.ts";

/** Files of one embedded database. */
export interface Location {
  readonly user: ServerUser | undefined;
  /** PostgreSQL's data directory; only the server's user can enter. */
  readonly cluster: string;
  readonly logFile: string;
  readonly passwordFile: string;
  readonly leasesFolder: string;
}

/** Root's own place for what other users must be able to reach. */
export const sharedFolder = "/var/lib/stowage";

/**
 * Makes the folder `postgres` under a data folder. Everything concerning the database is locked by it.
 *
 * @throws when it cannot be made, or belongs to another user.
 */
export async function prepareHome(dataDir: string): Promise<string> {
  try {
    // Root's server user passes through; to see what is inside takes being root.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    const home = join(dataDir, "postgres");
    await mkdir(dataDir, { recursive: true, mode });
    await mkdir(home, { recursive: true, mode });
    await requireOwner(home);
    return await realpath(home);
  } catch (error) {
    const advice = "set DATA_DIR to a folder of your own, or DATABASE_URL to use another database";
    throw new Error(`Cannot use the data folder ${dataDir} (${advice})`, { cause: error });
  }
}

export interface LocationOptions {
  readonly home: string;
  /** The folder was not chosen by anyone, so another may be taken where the server cannot reach it. */
  readonly isDefault: boolean;
  readonly sharedFolder: string;
  readonly logger: Logger;
}

/** Finds where the database is or will be. Called with the home's lock held. */
export async function findLocation(options: LocationOptions): Promise<Location> {
  const { home, logger } = options;
  const elsewhere = await readFile(join(home, "location"), "utf8").catch(() => undefined);
  if (elsewhere !== undefined) {
    logger.info({ folder: elsewhere.trim() }, "the embedded database is outside the data folder");
    return await locationIn(elsewhere.trim());
  }
  const location = await locationIn(home);
  if (location.user === undefined || (await canEnter(location.user, home))) return location;
  if (!options.isDefault) {
    throw new Error(
      `Cannot keep a database in ${home}: PostgreSQL does not run as root, and user ` +
        `${location.user.uid}, who runs it instead, cannot enter the folder; allow that (chmod o+x ` +
        "on the folders above), set DATA_DIR to another folder, or run as another user",
    );
  }
  return await moveElsewhere(options);
}

/** The new place is noted in the home: removing the data folder also forgets the database. */
async function moveElsewhere({ home, sharedFolder, logger }: LocationOptions): Promise<Location> {
  const folder = join(sharedFolder, randomBytes(8).toString("hex"));
  await mkdir(sharedFolder, { recursive: true, mode: 0o755 });
  await mkdir(folder, { mode: 0o711 });
  await writeFile(join(home, "location"), `${folder}\n`, { flag: "wx", mode: 0o600 });
  logger.warn(
    { dataDir: home, folder },
    "the user who runs PostgreSQL cannot enter the data folder: the database is kept elsewhere",
  );
  return await locationIn(folder);
}

async function locationIn(folder: string): Promise<Location> {
  const cluster = join(folder, "cluster");
  return {
    user: await chooseServerUser(cluster),
    cluster,
    logFile: join(folder, "server.log"),
    passwordFile: join(folder, "password"),
    leasesFolder: join(folder, "leases"),
  };
}

async function requireOwner(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  const own = process.getuid?.();
  if (uid !== own && own !== 0) {
    throw new Error(`it belongs to user ${uid}, this program runs as user ${own}`);
  }
}
