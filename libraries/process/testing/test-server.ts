import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
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
  const folder = await realpath(await mkdtemp(join(tmpdir(), "stowage-test-")));
  await chmod(folder, 0o711);
  const cluster: Cluster = {
    user: await chooseServerUser(folder),
    binaries: await findBinaries(options, await chooseServerUser(folder), folder),
    folder: join(folder, "cluster"),
    logFile: join(folder, "server.log"),
    settings: testSettings,
  };
  const guard = startGuard(folder);
  const stop = async () => {
    await stopCluster(cluster, "immediate");
    await rm(folder, { recursive: true });
    guard.end();
  };
  try {
    const password = randomBytes(24).toString("hex");
    await createCluster(cluster, password);
    const port = await startCluster(cluster);
    const databaseUrl = await prepareDatabase({ port, password, mayCreateDatabases: true });
    return { databaseUrl, major: cluster.binaries.major, stop };
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

/**
 * A process that outlives this one to stop the server and remove the folder. It notices the end,
 * also by SIGKILL, by the pipe between them, which the system closes.
 */
function startGuard(folder: string): Writable {
  const script = `
    cat >/dev/null
    server=$(head -n 1 "$1/cluster/postmaster.pid" 2>/dev/null) && kill -QUIT "$server"
    while [ -n "$server" ] && kill -0 "$server" 2>/dev/null; do sleep 0.05; done
    rm -rf "$1"`;
  const child = spawn("/bin/sh", ["-c", script, "sh", folder], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  // A pipe to a child is a socket, which would keep this process running.
  (child.stdin as Socket).unref();
  return child.stdin;
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
