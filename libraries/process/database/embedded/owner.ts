/**
 * The process that owns an embedded server: it makes, starts, restarts and stops it. Each program
 * that uses the database holds a connection to this process, which is its lease: the system closes
 * it when the program ends, however it ends. With the last lease, the server and this end.
 *
 * Its one argument says what to do. It sends each program lines of JSON, which say what happens.
 */
import { once } from "node:events";
import { chown, type FileHandle, rm, stat } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { errorText, MultilineError } from "../../error-text.ts";
import type { Logger } from "../../logger.ts";
import { prepareBinaries } from "./binaries.ts";
import {
  type Cluster,
  ensureCluster,
  prepareDatabase,
  readPasswords,
  startServer,
} from "./cluster.ts";
import { explainFullDisk } from "./full-disk.ts";
import { findLocation } from "./location.ts";
import { lockServer } from "./server-lock.ts";

export interface OwnerOptions {
  readonly home: string;
  readonly isDefault: boolean;
  readonly sharedFolder: string;
  readonly packageFolder?: string | undefined;
  readonly serverSettings: Readonly<Record<string, string>>;
}

/** A line for a program, which waits until one has `databaseUrl` or `failure`. */
export interface OwnerMessage {
  readonly databaseUrl?: string;
  readonly failure?: string;
  /** A line for the log of each program. */
  readonly log?: readonly [level: "info" | "warn" | "error", fields: object, message: string];
}

export const ownerFile = fileURLToPath(import.meta.url);

export function ownerSocket(home: string): string {
  return join(home, "owner.sock");
}

/** The pause before the second restart in a row; it doubles with each further one. */
const restartPauseMs = 500;
const restartPauseMsMax = 30_000;
/** A server that has run for this time ends a series of deaths. */
const steadyMs = 10_000;
/** A program that has started this process connects at once. */
const firstLeaseMs = 60_000;

class Owner {
  readonly #options: OwnerOptions;
  readonly #leases = new Set<Socket>();
  readonly #stopping = new AbortController();
  /** Ends this process if no program comes. */
  #idle: NodeJS.Timeout | undefined;
  /** The line for programs that connect later. */
  #state: OwnerMessage | undefined;

  constructor(options: OwnerOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { home } = this.#options;
    const another = () => isListening(ownerSocket(home));
    const lock = await lockServer(home, another);
    if (lock === undefined) return;
    await rm(ownerSocket(home), { force: true });
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#lease(socket));
    server.listen(ownerSocket(home));
    await once(server, "listening");
    // Root may have started this in the folder of a user.
    await chown(ownerSocket(home), (await stat(home)).uid, (await stat(home)).gid);
    if (this.#leases.size === 0) {
      this.#idle = setTimeout(() => this.#stopping.abort(), firstLeaseMs);
    }
    this.#stopping.signal.addEventListener("abort", () => server.close());
    try {
      await this.#keepRunning(lock);
    } catch (error) {
      this.#tell({ failure: errorText(error) });
    }
    clearTimeout(this.#idle);
    this.#stopping.abort();
    for (const socket of this.#leases) socket.end();
  }

  #lease(socket: Socket): void {
    clearTimeout(this.#idle);
    this.#leases.add(socket);
    if (this.#state) send(socket, this.#state);
    socket.on("error", () => undefined).resume();
    socket.once("close", () => {
      this.#leases.delete(socket);
      // A program that is killed may break its connection off without an end.
      if (this.#leases.size === 0) this.#stopping.abort();
    });
    socket.once("end", () => {
      const others = [...this.#leases].filter((lease) => !lease.readableEnded);
      if (others.length > 0) socket.end();
      // The last program waits until the server has stopped.
      else this.#stopping.abort();
    });
  }

  #tell(message: OwnerMessage): void {
    if (message.log === undefined) this.#state = message;
    for (const socket of this.#leases) send(socket, message);
  }

  #log(level: "info" | "warn" | "error", fields: object, message: string): void {
    this.#tell({ log: [level, fields, message] });
  }

  async #prepare(): Promise<Cluster> {
    const { home, isDefault, sharedFolder, packageFolder, serverSettings } = this.#options;
    const logger = {
      info: (fields: object, message: string) => this.#log("info", fields, message),
      warn: (fields: object, message: string) => this.#log("warn", fields, message),
    } as Pick<Logger, "info" | "warn">;
    const location = await findLocation({ home, isDefault, sharedFolder, logger });
    const { user } = location;
    const binaries = await prepareBinaries({
      user,
      copiesFolder: user === undefined ? join(home, "programs") : sharedFolder,
      ...(packageFolder !== undefined && { packageFolder }),
    });
    const cluster = { ...location, binaries, settings: serverSettings };
    try {
      await ensureCluster(cluster, logger);
    } catch (error) {
      throw await explainFullDisk(error, cluster.folder);
    }
    return cluster;
  }

  async #keepRunning(first: FileHandle): Promise<void> {
    const { signal } = this.#stopping;
    const cluster = await this.#prepare();
    let lock: FileHandle | undefined = first;
    let deathsInARow = 0;
    for (let isRestart = false; !signal.aborted; isRestart = true) {
      const startedAtMs = performance.now();
      try {
        // A process that a dead server has left behind has the lock until it ends.
        lock ??= await lockServer(this.#options.home);
        await using server = await startServer(cluster, lock);
        await lock.close();
        lock = undefined;
        const databaseUrl = await prepareDatabase(cluster, await readPasswords(cluster));
        if (isRestart) this.#log("warn", {}, "the embedded database is running again");
        else this.#log("info", { folder: cluster.folder }, "the embedded database is running");
        this.#tell({ databaseUrl });
        await Promise.race([server.ended, aborted(signal)]);
      } catch (error) {
        await lock?.close();
        lock = undefined;
        if (!isRestart) throw await explainFullDisk(error, cluster.folder);
        this.#log("error", { reason: errorText(error) }, "cannot restart the embedded database");
      }
      if (signal.aborted) {
        this.#log("info", { folder: cluster.folder }, "the embedded database has stopped");
        return;
      }
      if (performance.now() - startedAtMs > steadyMs) deathsInARow = 0;
      const restartInMs =
        deathsInARow === 0
          ? 0
          : Math.min(restartPauseMsMax, restartPauseMs * 2 ** (deathsInARow - 1));
      deathsInARow += 1;
      this.#log("error", { restartInMs }, "the embedded database died");
      await sleep(restartInMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

function send(socket: Socket, message: OwnerMessage): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

if (process.argv[1] === ownerFile) {
  try {
    await new Owner(JSON.parse(process.argv[2] ?? "")).run();
  } catch (error) {
    process.stderr.write(error instanceof MultilineError ? error.message : errorText(error));
    process.exitCode = 1;
  }
}
