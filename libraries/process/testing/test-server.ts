import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Binaries, prepareBinaries, tryBinaries } from "../embedded/binaries.ts";
import { type Cluster, createCluster, startCluster, stopCluster } from "../embedded/cluster.ts";
import { prepareDatabase } from "../embedded/database.ts";
import { sharedFolder } from "../embedded/location.ts";
import { chooseServerUser, type ServerUser } from "../embedded/server-user.ts";

export interface TestServer {
  /** Of a role that may make databases, but is no superuser. */
  readonly databaseUrl: string;
  /** Major version of PostgreSQL: "18". */
  readonly major: string;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
  /** The same without waiting for anything, for a process that is exiting. */
  stopNow(): void;
}

export interface TestServerOptions {
  /** Folder of the PostgreSQL programs to use; without it those from npm. */
  readonly bin?: string;
}

/** Starts a throw-away PostgreSQL in a temporary folder. It does not keep what it writes: it is fast. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "stowage-test-")));
  await chmod(folder, 0o711);
  const cluster: Cluster = {
    user: await chooseServerUser(folder),
    binaries: await findBinaries(options, await chooseServerUser(folder), folder),
    folder: join(folder, "cluster"),
    logFile: join(folder, "server.log"),
    settings: testSettings,
  };
  const stop = async () => {
    await stopCluster(cluster, "immediate");
    await rm(folder, { recursive: true });
  };
  const stopNow = () => {
    killNow(cluster.folder);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const password = randomBytes(24).toString("hex");
    await createCluster(cluster, password);
    const port = await startCluster(cluster);
    const databaseUrl = await prepareDatabase({ port, password, mayCreateDatabases: true });
    return { databaseUrl, major: cluster.binaries.major, stop, stopNow };
  } catch (error) {
    await stop();
    throw error;
  }
}

const testSettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
  shared_buffers: "256MB",
};

/** Longest wait for a server told to quit without writing anything more. */
const killWaitMs = 10_000;

function killNow(folder: string): void {
  const file = join(folder, "postmaster.pid");
  if (!existsSync(file)) return;
  const processId = Number.parseInt(readFileSync(file, "utf8"), 10);
  process.kill(processId, "SIGQUIT");
  const deadline = performance.now() + killWaitMs;
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (existsSync(file) && performance.now() < deadline) Atomics.wait(never, 0, 0, 5);
}

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
