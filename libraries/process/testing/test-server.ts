import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Binaries, prepareBinaries, tryBinaries } from "../database/embedded/binaries.ts";
import { type Cluster, createCluster, startCluster } from "../database/embedded/cluster.ts";
import { sharedFolder } from "../database/embedded/location.ts";
import { prepareDatabase } from "../database/embedded/open-database.ts";
import { chooseServerUser, type ServerUser } from "../database/embedded/server-user.ts";
import { faultsOfServer, type ServerFaults } from "./server-faults.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export interface TestServer extends ServerFaults {
  /** Of a role that may make databases, but is no superuser. */
  readonly databaseUrl: string;
  /** Major version of PostgreSQL: "18". */
  readonly major: string;
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
  /** Where its temporary folder is made. Default: the system's folder for that. */
  readonly folder?: string;
  /** Server settings that override those for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts a throw-away PostgreSQL in a temporary folder, made for speed. A crash of the machine
 * would lose its data, but a crash of the server loses nothing that was committed.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = await makeTemporaryFolder(options.folder);
  try {
    const user = await chooseServerUser(folder.path);
    const cluster: Cluster = {
      user,
      binaries: await findBinaries(options, user, folder.path),
      folder: join(folder.path, "cluster"),
      logFile: join(folder.path, "server.log"),
      settings: { ...testSettings, ...options.settings },
    };
    const password = randomBytes(24).toString("hex");
    await createCluster(cluster, password);
    const port = await startCluster(cluster);
    const databaseUrl = await prepareDatabase({ port, password, mayCreateDatabases: true });
    return {
      databaseUrl,
      major: cluster.binaries.major,
      ...faultsOfServer(cluster.folder),
      // `startCluster` reuses the port.
      restart: async () => void (await startCluster(cluster)),
      stop: folder.remove,
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

const testSettings = {
  // An autovacuum worker in a database would prevent the test from dropping it.
  autovacuum: "off",
  fsync: "off",
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
