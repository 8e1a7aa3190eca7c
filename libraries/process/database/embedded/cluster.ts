/** Creates a PostgreSQL cluster, and starts and stops its server. */
import { randomBytes } from "node:crypto";
import {
  chown,
  constants,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MultilineError } from "../../error-text.ts";
import { findPort } from "../../http/listening.ts";
import { type Binaries, requirePlainPath } from "./binaries.ts";
import { endOrphans } from "./orphans.ts";
import { isRunning, markStale, type Postmaster, readPostmaster } from "./postmaster.ts";
import { lockUnlessRunning } from "./server-lock.ts";
import { runAsServerUser, type ServerUser } from "./server-user.ts";
import { writePrivate } from "./write-private.ts";

export interface Cluster {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  /** PostgreSQL's data directory; it belongs to the server's user. */
  readonly folder: string;
  /** The server's log, beside the folder. */
  readonly logFile: string;
  /** Server settings beyond `serverSettings`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Name of the superuser. Programs use another role. */
export const superuser = "postgres";

/** Creates an empty cluster whose superuser has this password. The creation is atomic. */
export async function createCluster(cluster: Cluster, password: string): Promise<void> {
  requirePlainPath(cluster.folder);
  const partial = `${cluster.folder}.${randomBytes(6).toString("hex")}.partial`;
  const passwordFile = `${partial}.password`;
  try {
    await mkdir(partial, { mode: 0o700 });
    await writePrivate(passwordFile, password, cluster.user);
    if (cluster.user) await chown(partial, cluster.user.uid, cluster.user.gid);
    const { code, output } = await runAsServerUser(
      cluster.user,
      join(cluster.binaries.bin, "initdb"),
      [
        `--pgdata=${partial}`,
        `--username=${superuser}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--no-instructions",
      ],
      { timeoutMs: initTimeoutMs },
    );
    if (code !== 0) throw new Error(`Cannot make the database in ${cluster.folder}: ${output}`);
    await rename(partial, cluster.folder);
  } finally {
    await removePartial(cluster.folder);
  }
}

/** What `createCluster` adds to the name of a cluster for its unfinished files. */
const partialEnding = /^\.[0-9a-f]{12}\.partial(\.password(\.partial)?)?$/;

/** Removes unfinished clusters, also of killed programs whose initdb may still run. */
export async function removePartial(folder: string): Promise<void> {
  const [home, name] = [dirname(folder), basename(folder)];
  for (const found of await readdir(home)) {
    if (!found.startsWith(name) || !partialEnding.test(found.slice(name.length))) continue;
    await rm(join(home, found), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** @throws if another major version of PostgreSQL wrote the cluster. */
export async function requireSameMajor(cluster: Cluster): Promise<void> {
  const major = (await readFile(join(cluster.folder, "PG_VERSION"), "utf8")).trim();
  if (major !== cluster.binaries.major) {
    throw new Error(
      `Cannot open the database in ${cluster.folder}: it was written by PostgreSQL ${major}, ` +
        `need PostgreSQL ${cluster.binaries.major}; run the version of this program that wrote ` +
        "it, copy the data out and in again, or set DATA_DIR to another folder",
    );
  }
}

/**
 * Starts the server unless it runs, waits until it is ready, and returns its port on 127.0.0.1.
 *
 * @param options.port The port that running programs know. Default: any that is free.
 * @param options.lock The server's lock, if the caller has it. The server inherits it.
 */
export async function startCluster(
  cluster: Cluster,
  options: {
    port?: number | undefined;
    lock?: FileHandle | undefined;
    attemptsMax?: number;
  } = {},
): Promise<number> {
  const { attemptsMax = startAttemptsMax } = options;
  for (let attempt = 1; ; attempt++) {
    const runningPort = await portOfRunning(cluster);
    if (runningPort !== undefined) return runningPort;
    const lock = options.lock ?? (await lockUnlessRunning(cluster));
    // A server has been started meanwhile.
    if (lock === undefined) continue;
    const start = startLocked(cluster, lock, options.port, attempt);
    const { port, failure } = await start.finally(() => lock !== options.lock && lock.close());
    if (failure === undefined) return port;
    if (attempt >= attemptsMax) {
      const log = await tail(cluster.logFile);
      throw new MultilineError(
        `Cannot start the database in ${cluster.folder}: ${failure}\n${log}`,
      );
    }
    // Another program may have taken the port, or a killed program may have begun a start.
    await sleep(startPauseMs * 2 ** attempt);
  }
}

async function startLocked(
  cluster: Cluster,
  lock: FileHandle,
  knownPort: number | undefined,
  attempt: number,
): Promise<{ port: number; failure: string | undefined }> {
  const stale = await readPostmaster(cluster.folder);
  if (stale) {
    await markStale(cluster.folder, stale);
    await endOrphans(cluster);
  }
  // Reuse the port of a crashed server, for programs that still have its address.
  const stalePort = attempt === 1 ? stale?.port : undefined;
  const port = knownPort ?? stalePort ?? (await findPort({ host: "127.0.0.1", port: 0 }));
  const { code, output } = await pgCtlStart(cluster, port, lock);
  return { port, failure: code === 0 ? undefined : output };
}

/** Waits until a running server is ready, and returns its port; undefined if none runs. */
async function portOfRunning({ folder, logFile }: Cluster): Promise<number | undefined> {
  const deadline = performance.now() + startTimeoutSeconds * 1000;
  for (;;) {
    const found = await readPostmaster(folder);
    if (!found || !(await isRunning(found, folder))) return undefined;
    if (found.isReady) return found.port;
    if (performance.now() > deadline) {
      const log = await tail(logFile);
      throw new MultilineError(
        `Cannot use the database in ${folder}: it does not finish starting or stopping\n${log}`,
      );
    }
    await sleep(statePollMs);
  }
}

/** Stops the server if it runs, ending its connections. */
export async function stopCluster(cluster: Cluster): Promise<void> {
  const found = await readPostmaster(cluster.folder);
  if (!found || !(await isRunning(found, cluster.folder))) return;
  const { code, output } = await runAsServerUser(
    cluster.user,
    join(cluster.binaries.bin, "pg_ctl"),
    ["stop", `--pgdata=${cluster.folder}`, "--mode=fast", `--timeout=${stopTimeoutSeconds}`],
    { timeoutMs: (stopTimeoutSeconds + 10) * 1000 },
  );
  if (code !== 0 && !(await endsByItself(found, cluster.folder))) {
    throw new Error(`Cannot stop the database in ${cluster.folder}: ${output}`);
  }
}

// A server that ends removes its file first.
async function endsByItself(postmaster: Postmaster, folder: string): Promise<boolean> {
  const deadline = performance.now() + stopTimeoutSeconds * 1000;
  while (await isRunning(postmaster, folder)) {
    if ((await readPostmaster(folder)) || performance.now() > deadline) return false;
    await sleep(statePollMs);
  }
  return true;
}

const initTimeoutMs = 300_000;
/** After a crash, a server replays up to `max_wal_size` of changes before it is ready. */
const startTimeoutSeconds = 300;
const stopTimeoutSeconds = 120;
const startAttemptsMax = 5;
const startPauseMs = 100;
const statePollMs = 20;
const logBytesMax = 4 * 1024 * 1024;

/** For a machine that also runs other programs. */
const serverSettings = {
  // Every user and tool can use TCP. The path of a socket would have to be short and shared.
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "128MB",
  effective_cache_size: "1GB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  // On SSDs, random reads do not cost four times as much as sequential ones.
  random_page_cost: "1.1",
  // Compilation takes longer than the queries of these programs.
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  // Logs starts, stops and failures of the server; clients receive their own errors.
  log_min_messages: "log",
  log_checkpoints: "off",
};

async function pgCtlStart(cluster: Cluster, port: number, lock: FileHandle) {
  await prepareLog(cluster);
  const settings = { ...serverSettings, port: `${port}`, ...cluster.settings };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  return await runAsServerUser(
    cluster.user,
    join(cluster.binaries.bin, "pg_ctl"),
    [
      "start",
      "--wait",
      `--timeout=${startTimeoutSeconds}`,
      `--pgdata=${cluster.folder}`,
      `--log=${cluster.logFile}`,
      `--options=${options.join(" ")}`,
    ],
    { timeoutMs: (startTimeoutSeconds + 10) * 1000, inherited: lock.fd },
  );
}

/** Never through a link: root does this in a folder that may be another user's. */
async function prepareLog({ logFile, user }: Cluster): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(logFile, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    if ((await file.stat()).size > logBytesMax) await file.truncate();
    if (user) await file.chown(user.uid, user.gid);
  } finally {
    await file.close();
  }
}

async function tail(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.slice(-2000).trim().replaceAll("\t", "  ");
}
