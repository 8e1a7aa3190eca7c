import { randomBytes } from "node:crypto";
import { chown, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { type Binaries, prepareBinaries, tryBinaries } from "../database/embedded/binaries.ts";
import { createCluster, prepareRole } from "../database/embedded/cluster.ts";
import {
  chooseServerUser,
  runAsServerUser,
  type ServerUser,
} from "../database/embedded/server-user.ts";
import { findPort } from "./listen.ts";
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
    const cluster = {
      user,
      binaries: await findBinaries(options, user),
      folder: join(folder.path, "cluster"),
    };
    const password = randomBytes(24).toString("hex");
    const passwordFile = join(folder.path, "password");
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) await chown(passwordFile, user.uid, user.gid);
    await createCluster(cluster, [`--pwfile=${passwordFile}`, "--auth=scram-sha-256"]);
    const port = await findPort();
    const settings = { ...testSettings, port: `${port}`, ...options.settings };
    const start = () => startServer(cluster, settings);
    await start();
    const addressOf = (user: string, name: string) =>
      `postgresql://${user}:${password}@127.0.0.1:${port}/${name}` +
      "?sslmode=disable&sslnegotiation=postgres";
    const rights = `createdb password ${pg.escapeLiteral(password)}`;
    await prepareRole(addressOf("postgres", "postgres"), rights);
    return {
      databaseUrl: addressOf("stowage", "stowage"),
      major: cluster.binaries.major,
      ...faultsOfServer(cluster.folder),
      restart: start,
      stop: folder.remove,
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

type Cluster = Parameters<typeof createCluster>[0];

/** Tests may end without it: it removes itself with its folder. */
async function startServer(
  { binaries, user, folder }: Cluster,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await rm(join(folder, "postmaster.pid"), { force: true });
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  const { code, output } = await runAsServerUser(
    user,
    join(binaries.bin, "pg_ctl"),
    [
      "start",
      "--wait",
      "--timeout=60",
      `--pgdata=${folder}`,
      `--log=${folder}/server.log`,
      `--options=${options.join(" ")}`,
    ],
    { timeoutMs: 70_000 },
  );
  if (code !== 0) throw new Error(`Cannot start the test server: ${output}`);
}

const testSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  effective_cache_size: "1GB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  random_page_cost: "1.1",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
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
): Promise<Binaries> {
  if (bin === undefined) return await prepareBinaries({ user });
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
