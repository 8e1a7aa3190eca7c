/** Creates a PostgreSQL cluster, and starts its server. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
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
  stat,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import pg from "pg";
import { MultilineError } from "../../error-text.ts";
import type { Logger } from "../../logger.ts";
import { withSessionSettings } from "../pool.ts";
import { type Binaries, requirePlainPath } from "./binaries.ts";
import type { Location } from "./location.ts";
import { runAsServerUser, serverEnvironment } from "./server-user.ts";

export interface Cluster extends Location {
  readonly binaries: Binaries;
  /** Server settings beyond `serverSettings`. Values are single words. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Name of the superuser. Programs use another role. */
const superuser = "postgres";
/** Role and database of the programs. */
const name = "stowage";

const initTimeoutMs = 300_000;
/** After a crash, a server replays up to `max_wal_size` of changes before it is ready. */
const startTimeoutSeconds = 300;
export const stopTimeoutSeconds = 120;
const restartPollSeconds = 2;

/** @throws if another major version of PostgreSQL wrote the cluster. */
export async function ensureCluster(cluster: Cluster, logger: Pick<Logger, "info">): Promise<void> {
  const { folder } = cluster;
  await removePartial(folder);
  if (await exists(folder)) return await requireSameMajor(cluster);
  logger.info({ folder }, "making the embedded database");
  await createCluster(cluster, ["--auth=trust"]);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/**
 * Creates an empty cluster. The creation is atomic.
 *
 * @param authentication parameters of initdb
 */
export async function createCluster(
  cluster: Pick<Cluster, "folder" | "user" | "binaries">,
  authentication: readonly string[],
): Promise<void> {
  requirePlainPath(cluster.folder);
  const partial = `${cluster.folder}.${randomBytes(6).toString("hex")}.partial`;
  try {
    await mkdir(partial, { mode: 0o700 });
    if (cluster.user) await chown(partial, cluster.user.uid, cluster.user.gid);
    const { code, output } = await runAsServerUser(
      cluster.user,
      join(cluster.binaries.bin, "initdb"),
      [
        `--pgdata=${partial}`,
        `--username=${superuser}`,
        ...authentication,
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

/** What `createCluster` adds to the name of a cluster while it is unfinished. */
const partialEnding = /^\.[0-9a-f]{12}\.partial$/;

/** Removes unfinished clusters, also of killed programs whose initdb may still run. */
export async function removePartial(folder: string): Promise<void> {
  const [home, name] = [dirname(folder), basename(folder)];
  for (const found of await readdir(home)) {
    if (!found.startsWith(name) || !partialEnding.test(found.slice(name.length))) continue;
    await rm(join(home, found), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function requireSameMajor(cluster: Cluster): Promise<void> {
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
 * Starts the server, and restarts it if it dies. Other users cannot enter the folder of its socket,
 * so it asks for no passwords, also in a cluster of an earlier version.
 *
 * The arguments are the folder of the programs, that of the cluster, and the options. Descriptor 3
 * is the lock of the server, which its processes inherit, and 4 the file that the programs lock as
 * long as they use the server: the kernel gives it to this script when the last of them has ended,
 * however it ended.
 */
const serverScript = `
echo local all all trust >"$1/pg_hba.conf"
start() { "$0/pg_ctl" start --pgdata="$1" --options="$2" "$3" 4<&-; }
start "$@" --timeout=${startTimeoutSeconds} >&2 || exit
(echo ready) # a process of its own: it fails if the program was killed
exec >&2
until flock --timeout=${restartPollSeconds} 4; do
  "$0/pg_ctl" status --pgdata="$1" >/dev/null || start "$@" --no-wait
done
"$0/pg_ctl" stop --pgdata="$1" --mode=fast --timeout=${stopTimeoutSeconds}`;

/**
 * Starts the server, and waits until it is ready. It ends when no program has a lock on the file of
 * users.
 *
 * @param lock the server's lock. No other server can run, so what a killed one has left behind is
 *   removed: its process ID may belong to any process by now.
 */
export async function startServer(
  cluster: Cluster,
  lock: FileHandle,
  users: FileHandle,
): Promise<void> {
  const { folder, binaries, user, settings } = cluster;
  requireShortPath(folder);
  await rm(join(folder, "postmaster.pid"), { force: true });
  const options = Object.entries({ ...serverSettings, ...settings })
    .map(([setting, value]) => `-c ${setting}='${value}'`)
    .join(" ");
  const log = await openLog(cluster);
  const child = spawn("/bin/sh", ["-c", serverScript, binaries.bin, folder, options], {
    ...user,
    cwd: "/",
    env: serverEnvironment,
    // Own process group: Ctrl-C must reach only the program.
    detached: true,
    stdio: ["ignore", "pipe", log.fd, lock.fd, users.fd],
  });
  const output = child.stdout as Readable;
  const ready = once(output, "data").then(() => true);
  const ended = once(child, "close").then(() => false);
  const isReady = await Promise.race([ready, ended]).finally(() => log.close());
  if (!isReady) {
    const logged = await tail(cluster.logFile);
    throw new MultilineError(`Cannot start the database in ${folder}\n${logged}`);
  }
  output.destroy();
  child.unref();
}

/** The system allows 107 bytes for the path of a socket. */
function requireShortPath(folder: string): void {
  if (Buffer.byteLength(join(folder, ".s.PGSQL.5432")) <= 107) return;
  throw new Error(`Cannot keep a database in ${folder}: its path is too long; set DATA_DIR`);
}

const logBytesMax = 4 * 1024 * 1024;

/** For a machine that also runs other programs. */
const serverSettings = {
  // Only on a socket in its folder.
  listen_addresses: "",
  unix_socket_directories: ".",
  port: "5432",
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

/** Never through a link: root does this in a folder that may be another user's. */
async function openLog({ logFile, user }: Cluster): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(logFile, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  if ((await file.stat()).size > logBytesMax) await file.truncate();
  if (user) await file.chown(user.uid, user.gid);
  return file;
}

async function tail(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.slice(-2000).trim().replaceAll("\t", "  ");
}

/** The address for the programs, whose role has no rights over the server. */
export function addressOf(folder: string, [user, database] = [name, name]): string {
  const server = `${user}@${encodeURIComponent(folder)}:5432`;
  // With all that the driver would otherwise take from PGSSLMODE and its like of the environment.
  return `postgresql://${server}/${database}?sslmode=disable&sslnegotiation=postgres`;
}

/** Creates the database of the programs and the role that owns it, if they are missing. */
export async function prepareDatabase(folder: string): Promise<void> {
  await prepareRole(addressOf(folder, [superuser, "postgres"]));
}

/** @param rights options of `create role`; tests give their own. */
export async function prepareRole(superuserUrl: string, rights = ""): Promise<void> {
  const client = new pg.Client({
    connectionString: withSessionSettings(superuserUrl),
    application_name: "stowage-start",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    // Programs that start together take turns.
    await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [name]);
    const role = await client.query("select from pg_roles where rolname = $1", [name]);
    if (role.rowCount === 0) await client.query(`create role ${name} login ${rights}`);
    const database = await client.query("select from pg_database where datname = $1", [name]);
    if (database.rowCount === 0) {
      // From template0, since template1 may contain other objects.
      await client.query(`create database ${name} owner ${name} template template0`);
    }
  } finally {
    await client.end();
  }
}
