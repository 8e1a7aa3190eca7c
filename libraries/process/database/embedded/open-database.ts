/**
 * Opens the database at a given address, or an embedded PostgreSQL that all programs with the same
 * data folder share. One process owns its server: see owner.ts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { errorText, MultilineError } from "../../error-text.ts";
import type { Logger } from "../../logger.ts";
import { isWorker } from "../../workers/worker-process.ts";
import { prepareHome, sharedFolder } from "./location.ts";
import { type OwnerMessage, type OwnerOptions, ownerFile, ownerSocket } from "./owner.ts";
import { serverEnvironment } from "./server-user.ts";

/** A data folder. The default may be replaced by another folder if it cannot be used. */
export interface DataDir {
  readonly path: string;
  readonly isDefault: boolean;
}

export interface Database {
  readonly databaseUrl: string;
  /** Releases the database. Close all connections first: the last user's call stops the server. */
  close(): Promise<void>;
}

interface OpenDatabaseOptions {
  /** PostgreSQL to use. Default: the embedded one. */
  readonly databaseUrl?: string | undefined;
  /** Folder of the embedded one. A plain path counts as chosen by the user. */
  readonly dataDir: DataDir | string;
  readonly logger: Logger;
  /** Settings that override those of the embedded server, if this program starts it. */
  readonly serverSettings?: Readonly<Record<string, string>>;
  /** For tests: the npm package of the programs, and the folder of root for other users. */
  readonly packageFolder?: string;
  readonly sharedFolder?: string;
}

/**
 * Opens the given database, or the embedded one, which is created and started if necessary.
 *
 * @throws if the folder cannot be used, another major version of PostgreSQL wrote it, or the server
 *   does not start. The message says what to do.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { logger, databaseUrl: given } = options;
  if (given !== undefined) {
    // A worker has the address from its primary.
    if (!isWorker()) logger.info(partsOf(given), "using the given database");
    return { databaseUrl: given, close: async () => undefined };
  }
  const { path, isDefault } =
    typeof options.dataDir === "string"
      ? { path: options.dataDir, isDefault: false }
      : options.dataDir;
  const owner: OwnerOptions = {
    home: await prepareHome(resolve(path)),
    isDefault,
    sharedFolder: options.sharedFolder ?? sharedFolder,
    packageFolder: options.packageFolder,
    serverSettings: options.serverSettings ?? {},
  };
  const lease = new Lease(owner, logger);
  const databaseUrl = await lease.open();
  return { databaseUrl, close: () => lease.close() };
}

/** Where the driver connects: some of it may come from variables such as PGHOST. */
function partsOf(databaseUrl: string) {
  const { host, port, database, user } = new pg.Client(databaseUrl);
  return { host, port, database, user };
}

const pollMs = 20;
/** There is no owner, or one that is about to end. */
const absentCodes: readonly unknown[] = ["ENOENT", "ECONNREFUSED", "ECONNRESET"];

/** A connection to the owner of the server, which is made anew if the owner dies. */
class Lease {
  readonly #owner: OwnerOptions;
  readonly #logger: Logger;
  #socket: Socket | undefined;
  #opening: Promise<string> | undefined;
  #closing: Promise<void> | undefined;

  constructor(owner: OwnerOptions, logger: Logger) {
    this.#owner = owner;
    this.#logger = logger;
  }

  open(): Promise<string> {
    this.#opening = this.#open();
    return this.#opening;
  }

  async #open(): Promise<string> {
    for (;;) {
      const socket = await this.#connect();
      const databaseUrl = await this.#untilReady(socket);
      // Undefined: the owner was about to end.
      if (databaseUrl === undefined) continue;
      this.#socket = socket;
      socket.once("close", () => this.#wasLost());
      return databaseUrl;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#release();
    return this.#closing;
  }

  async #release(): Promise<void> {
    // It may be about to be made anew.
    await this.#opening?.catch(() => undefined);
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return;
    const { promise: closed, resolve: wasClosed } = Promise.withResolvers<void>();
    // `once` would reject if the owner, which ends, breaks it off.
    socket.once("close", () => wasClosed());
    socket.end();
    await closed;
  }

  #wasLost(): void {
    if (this.#closing !== undefined) return;
    this.#logger.error("the owner of the embedded database died");
    this.open().catch((error) => {
      const reason = errorText(error);
      this.#logger.error({ reason }, "cannot restart the embedded database");
    });
  }

  async #connect(): Promise<Socket> {
    let owner: ReturnType<typeof startOwner> | undefined;
    for (;;) {
      const socket = connect(ownerSocket(this.#owner.home));
      try {
        await once(socket, "connect");
        owner?.forget();
        return socket;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (!absentCodes.includes(code)) throw error;
      }
      if (owner?.failure() !== undefined) throw new MultilineError(owner.failure() ?? "");
      if (owner === undefined || owner.hasEnded()) owner = startOwner(this.#owner);
      await sleep(pollMs);
    }
  }

  /** Resolves with the address; undefined if the owner ends before. Logs what it tells. */
  #untilReady(socket: Socket): Promise<string | undefined> {
    const { promise, resolve: settle, reject } = Promise.withResolvers<string | undefined>();
    socket.on("error", () => undefined).once("close", () => settle(undefined));
    // It passes on the errors of the socket.
    const lines = createInterface({ input: socket }).on("error", () => undefined);
    lines.on("line", (line) => {
      const { databaseUrl, failure, log }: OwnerMessage = JSON.parse(line);
      if (log !== undefined) this.#logger[log[0]](log[1], log[2]);
      if (failure !== undefined) {
        socket.destroy();
        reject(new MultilineError(failure));
      }
      if (databaseUrl !== undefined) settle(databaseUrl);
    });
    return promise;
  }
}

/** Starts the owner in a process group of its own: Ctrl-C must reach only the program. */
function startOwner(options: OwnerOptions) {
  const child = spawn(process.execPath, [ownerFile, JSON.stringify(options)], {
    cwd: "/",
    env: serverEnvironment,
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let failure: string | undefined;
  const said = text(child.stderr).catch(() => "");
  child.once("exit", async (code) => {
    if (code !== 0) failure = (await said) || `the owner of the database ended with ${code}`;
  });
  return {
    failure: () => failure,
    hasEnded: () => child.exitCode === 0,
    /** Lets this program end before it. */
    forget() {
      child.unref();
      (child.stderr as Socket).unref();
    },
  };
}
