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
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { MultilineError } from "../../error-text.ts";
import type { Logger } from "../../logger.ts";
import { withSessionSettings } from "../pool.ts";
import { type Binaries, requirePlainPath } from "./binaries.ts";
import type { Location } from "./location.ts";
import { runAsServerUser, serverEnvironment } from "./server-user.ts";
import { writePrivate } from "./write-private.ts";

export interface Cluster extends Location {
  readonly binaries: Binaries;
  /** Server settings beyond `serverSettings`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Name of the superuser. Programs use another role. */
const superuser = "postgres";
/** Role and database of the programs. */
const name = "stowage";

export interface Passwords {
  readonly superuser: string;
  readonly programs: string;
}

/** @throws if another major version of PostgreSQL wrote the cluster. */
export async function ensureCluster(cluster: Cluster, logger: Pick<Logger, "info">): Promise<void> {
  const { folder } = cluster;
  await removePartial(folder);
  if (await exists(folder)) return await requireSameMajor(cluster);
  logger.info({ folder }, "making the embedded database");
  // The passwords are stored first, so that no database is without them.
  for (const file of [cluster.passwordFile, cluster.superuserPasswordFile]) {
    if (await exists(file)) continue;
    await writePrivate(file, randomBytes(24).toString("hex"), undefined);
  }
  await createCluster(cluster, (await readPasswords(cluster)).superuser);
}

/** A cluster of an earlier version has one password for both. */
export async function readPasswords(files: Location): Promise<Passwords> {
  const read = async (file: string) => (await readFile(file, "utf8")).trim();
  try {
    const programs = await read(files.passwordFile);
    const isOld = !(await exists(files.superuserPasswordFile));
    return { programs, superuser: isOld ? programs : await read(files.superuserPasswordFile) };
  } catch (error) {
    throw new Error("Cannot read the passwords of the embedded database", { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Creates an empty cluster whose superuser has this password. The creation is atomic. */
export async function createCluster(
  cluster: Pick<Cluster, "folder" | "user" | "binaries">,
  password: string,
): Promise<void> {
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

/** Dispose of it to stop it, which ends its connections. */
interface RunningServer extends AsyncDisposable {
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
}

/**
 * Starts the server, and waits until it is ready.
 *
 * @param lock the server's lock, which it inherits. No other server can run, so what a killed one
 *   has left behind is removed: its process ID may belong to any process by now.
 */
export async function startServer(cluster: Cluster, lock: FileHandle): Promise<RunningServer> {
  const { folder, binaries, user, settings } = cluster;
  requireShortPath(folder);
  for (const stale of ["postmaster.pid", ".s.PGSQL.5432", ".s.PGSQL.5432.lock"]) {
    await rm(join(folder, stale), { force: true });
  }
  const options = Object.entries({
    ...serverSettings,
    unix_socket_directories: folder,
    ...settings,
  });
  const log = await openLog(cluster);
  // The server stops when its owner dies, also by SIGKILL.
  const parameters = ["--pdeathsig", "INT", join(binaries.bin, "postgres"), "-D", folder];
  const child = spawn(
    "setpriv",
    parameters.concat(options.flatMap(([setting, value]) => ["-c", `${setting}=${value}`])),
    {
      ...user,
      cwd: "/",
      env: serverEnvironment,
      detached: true,
      stdio: ["ignore", log.fd, log.fd, lock.fd],
    },
  );
  const ended = once(child, "exit");
  await Promise.race([once(child, "spawn"), ended]).finally(() => log.close());
  const stop = async () => {
    child.kill("SIGINT");
    const late = setTimeout(() => child.kill("SIGQUIT"), stopTimeoutMs);
    await ended;
    clearTimeout(late);
  };
  const deadline = performance.now() + startTimeoutMs;
  while (!(await isReady(folder, child.pid))) {
    if (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
      await sleep(statePollMs);
      continue;
    }
    await stop();
    const logged = await tail(cluster.logFile);
    throw new MultilineError(`Cannot start the database in ${folder}\n${logged}`);
  }
  return { ended, [Symbol.asyncDispose]: stop };
}

/** The system allows 107 bytes for the path of a socket. */
function requireShortPath(folder: string): void {
  if (Buffer.byteLength(join(folder, ".s.PGSQL.5432.lock")) <= 107) return;
  throw new Error(`Cannot keep a database in ${folder}: its path is too long; set DATA_DIR`);
}

/** It writes its state into the last line of its file. */
async function isReady(folder: string, processId: number | undefined): Promise<boolean> {
  const text = await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  return lines[0] === `${processId}` && lines[7]?.trim() === "ready";
}

const initTimeoutMs = 300_000;
/** After a crash, a server replays up to `max_wal_size` of changes before it is ready. */
const startTimeoutMs = 300_000;
const stopTimeoutMs = 120_000;
const statePollMs = 20;
const logBytesMax = 4 * 1024 * 1024;

/** For a machine that also runs other programs. */
const serverSettings = {
  // Only on a socket in its folder, which other users cannot enter.
  listen_addresses: "",
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

/**
 * Creates the database and the role that owns it, if they are missing, and returns the address. The
 * role has no rights over the server, so programs work exactly as with a database of someone else.
 */
export async function prepareDatabase(
  { folder }: Pick<Cluster, "folder">,
  passwords: Passwords,
): Promise<string> {
  await prepareRole(addressOf(superuser, passwords.superuser, folder, "postgres"), {
    password: passwords.programs,
    right: "nocreatedb",
  });
  return addressOf(name, passwords.programs, folder, name);
}

/** @param right whether the role may create databases, as tests do. */
export async function prepareRole(
  superuserUrl: string,
  { password, right }: { password: string; right: "createdb" | "nocreatedb" },
): Promise<void> {
  const client = new pg.Client({
    connectionString: withSessionSettings(superuserUrl),
    application_name: "stowage-start",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const role = await client.query("select from pg_roles where rolname = $1", [name]);
    if (role.rowCount === 0) {
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
}

/** With all that the driver would otherwise take from PGSSLMODE and its like of the environment. */
function addressOf(user: string, password: string, folder: string, database: string): string {
  const server = `${user}:${encodeURIComponent(password)}@${encodeURIComponent(folder)}:5432`;
  return `postgresql://${server}/${database}?sslmode=disable&sslnegotiation=postgres`;
}
