import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Binaries, prepareBinaries, tryBinaries } from "../embedded/binaries.ts";
import { type Cluster, createCluster, startCluster } from "../embedded/cluster.ts";
import { sharedFolder } from "../embedded/location.ts";
import { prepareDatabase } from "../embedded/open-database.ts";
import { isRunning, readPostmaster } from "../embedded/postmaster.ts";
import { chooseServerUser, type ServerUser } from "../embedded/server-user.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export interface TestServer {
  /** Of a role that may make databases, but is no superuser. */
  readonly databaseUrl: string;
  /** Major version of PostgreSQL: "18". */
  readonly major: string;
  /** Ends the server as a crash does: at once, in the middle of everything. */
  crash(): Promise<void>;
  /** Starts it again after a crash, at the same address. */
  restart(): Promise<void>;
  /**
   * Stops the server and removes its files, as happens anyway when this process ends in any way.
   */
  stop(): Promise<void>;
}

export interface TestServerOptions {
  /** Folder of the PostgreSQL programs to use; without it those from npm. */
  readonly bin?: string;
}

/** Starts a throw-away PostgreSQL in a temporary folder, made for speed and not to last. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = await makeTemporaryFolder();
  try {
    const user = await chooseServerUser(folder.path);
    const cluster: Cluster = {
      user,
      binaries: await findBinaries(options, user, folder.path),
      folder: join(folder.path, "cluster"),
      logFile: join(folder.path, "server.log"),
      settings: testSettings,
    };
    const password = randomBytes(24).toString("hex");
    await createCluster(cluster, password);
    const port = await startCluster(cluster);
    const databaseUrl = await prepareDatabase({ port, password, mayCreateDatabases: true });
    return {
      databaseUrl,
      major: cluster.binaries.major,
      crash: () => crashCluster(cluster),
      restart: async () => void (await startCluster(cluster)),
      stop: folder.remove,
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** The cluster can restart at the same address: `startCluster` reuses the port. */
async function crashCluster({ folder }: Cluster): Promise<void> {
  const found = await readPostmaster(folder);
  if (found === undefined) throw new Error(`Cannot crash the server in ${folder}: none runs`);
  process.kill(found.processId, "SIGKILL");
  while (await isRunning(found, folder)) await setTimeout(10);
}

const testSettings = {
  // An autovacuum worker in a database would prevent the test from dropping it.
  autovacuum: "off",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
  shared_buffers: "256MB",
};

async function findBinaries(
  { bin }: TestServerOptions,
  user: ServerUser | undefined,
  folder: string,
): Promise<Binaries> {
  if (bin === undefined) {
    return await prepareBinaries({
      user,
      copiesFolder: user === undefined ? folder : sharedFolder,
    });
  }
  const binaries = await tryBinaries(bin, user);
  if (binaries instanceof Error) throw binaries;
  return binaries;
}

let started: Promise<string> | undefined;

/**
 * The server that tests use: the one at TEST_DATABASE_URL, which `npm test` sets, or, for a test
 * file run by hand, one started for this process, which ends with it.
 */
export function testServerUrl(): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return Promise.resolve(given);
  started ??= startTestServer().then((server) => server.databaseUrl);
  return started;
}
