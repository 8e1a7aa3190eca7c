/**
 * Finds the connections of a pool that a network has swallowed: what is sent on them arrives
 * nowhere, and no error says so. A new connection shows the difference between such a connection
 * and a statement that takes long: over it, the server says what the other connection does.
 *
 * One timer for all connections looks at what each has received, so a query costs nothing more. It
 * counts its turns, not the time: nothing is lost because this process did not run.
 */
import pg from "pg";
import { errorText } from "../error-text.ts";
import type { Logger } from "../logger.ts";

/** From one look at the connections to the next. */
const intervalMs = 250;
/** A connection is checked when it has been silent for this long. */
const suspectMs = 1000;
/** How long a new connection may take to answer. */
const checkTimeoutMs = 1000;
/** The longest time between two checks of a statement that takes long. */
const checkAgainMaxMs = 10_000;

interface WatchOptions {
  /** How to open a connection like those of the pool. */
  readonly connection: pg.ClientConfig;
  /** A silent connection is closed if the server could not be asked about it for this long. */
  readonly silenceMaxMs: number;
  readonly logger: Logger;
}

interface Watched {
  /** Received and sent so far. */
  bytes: number;
  silentMs: number;
  /** The silence at which the connection is checked next. */
  checkAtMs: number;
  /** The silence when the server last said that it runs a statement for the connection. */
  runningAtMs: number;
}

const fresh = { silentMs: 0, checkAtMs: suspectMs, runningAtMs: 0 };

export class ConnectionWatch {
  readonly #options: WatchOptions;
  readonly #watched = new Map<pg.Client, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Watches a client, which is not connected yet, until it ends. */
  add(client: pg.Client): void {
    this.#watched.set(client, { bytes: 0, ...fresh });
    client.once("end", () => this.#watched.delete(client));
    // Sockets keep the process running, not this.
    this.#timer ??= setInterval(() => this.#look(), intervalMs).unref();
  }

  #look(): void {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const suspects: pg.Client[] = [];
    for (const [client, watched] of this.#watched) {
      const bytes = bytesOf(client);
      if (bytes !== watched.bytes || !isWaiting(client)) {
        Object.assign(watched, { bytes, ...fresh });
        continue;
      }
      watched.silentMs += intervalMs;
      if (watched.silentMs < watched.checkAtMs) continue;
      // It sent the message that ends it. There is no statement to ask about.
      if (internalsOf(client)._ending) internalsOf(client).connection.stream.destroy();
      else suspects.push(client);
    }
    if (suspects.length === 0) return;
    this.#checking ??= this.#check(suspects).finally(() => {
      this.#checking = undefined;
    });
  }

  async #check(suspects: readonly pg.Client[]): Promise<void> {
    const { connection, silenceMaxMs } = this.#options;
    const timeouts = { connectionTimeoutMillis: checkTimeoutMs, query_timeout: checkTimeoutMs };
    const asking = new pg.Client({ ...connection, ...timeouts });
    asking.on("error", () => undefined);
    try {
      await asking.connect();
      const working = await workingBackends(asking, suspects);
      const lost = suspects.filter((client) => {
        const watched = this.#watched.get(client);
        // It has ended, or received something meanwhile.
        if (watched?.bytes !== bytesOf(client) || watched.silentMs < suspectMs) return false;
        watched.checkAtMs = watched.silentMs + Math.min(watched.silentMs, checkAgainMaxMs);
        watched.runningAtMs = watched.silentMs;
        return !working.has(internalsOf(client).processID);
      });
      if (lost.length > 0) await this.#drop(lost, asking);
    } catch (error) {
      // The server answers, but has no connection left, for example: nothing is known.
      if (error instanceof pg.DatabaseError) return;
      const lost = suspects.filter((client) => {
        const { silentMs = 0, runningAtMs = 0 } = this.#watched.get(client) ?? {};
        return silentMs - runningAtMs >= silenceMaxMs;
      });
      if (lost.length > 0) this.#close(lost, errorText(error));
    } finally {
      // Watched while it ends: the network may drop the message that ends it, too.
      if (isIdle(asking)) {
        this.add(asking);
        asking.end().catch(() => undefined);
      } else {
        internalsOf(asking).connection.stream.destroy();
      }
    }
  }

  /** Drops lost connections, and the idle ones, which the same network may have swallowed. */
  async #drop(lost: readonly pg.Client[], asking: pg.Client): Promise<void> {
    const idle = Array.from(this.#watched.keys()).filter((client) => isIdle(client));
    const dropped = [...lost, ...idle];
    const processIds = dropped.map((client) => internalsOf(client).processID).filter(Boolean);
    this.#close(dropped, "new connections work");
    // The server knows nothing of the loss: their transactions would hold locks for hours. After a
    // failover, another server may have given an ID to a process that works: that one stays.
    await asking.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid = any($1) and usename = current_user and datname = current_database()
         and (state like 'idle%' or not ${isAtWork})`,
      [processIds],
    );
  }

  #close(clients: readonly pg.Client[], reason: string): void {
    const { logger } = this.#options;
    logger.warn({ count: clients.length, reason }, "database connections are lost");
    for (const client of clients) {
      this.#watched.delete(client);
      const error = new Error("Connection terminated: the database does not answer on it");
      internalsOf(client).connection.stream.destroy(error);
    }
  }
}

/**
 * The process IDs of those clients whose statement the server is running, or has just ended: its
 * answer is under way. All count as running if the server does not track activities, or if there is
 * a connection pooler, whose process IDs cannot be looked up.
 */
async function workingBackends(
  asking: pg.Client,
  clients: readonly pg.Client[],
): Promise<ReadonlySet<number | null>> {
  const processIds = clients.map((client) => internalsOf(client).processID);
  const { rows } = await asking.query<{ id: number; own: number }>(
    `select pg_backend_pid() as own, pid as id from pg_stat_activity
     where pid = pg_backend_pid() or (pid = any($1) and
       (state is null or state = 'disabled'
         or (state = 'active' and ${isAtWork})
         or state_change > clock_timestamp() - interval '${intervalMs} milliseconds'))`,
    [processIds],
  );
  const isPooled = rows[0]?.own !== internalsOf(asking).processID;
  return new Set(isPooled ? processIds : rows.map(({ id }) => id));
}

/**
 * In SQL: a statement that waits for its client waits in vain. Between two parts of its rows it
 * waits for a request, which a lost connection does not bring. Only a COPY waits for its rows.
 */
const isAtWork = `(case wait_event when 'ClientWrite' then false
  when 'ClientRead' then query ilike 'copy %' else true end)`;

function bytesOf(client: pg.Client): number {
  const { stream } = internalsOf(client).connection;
  return stream.bytesRead + stream.bytesWritten;
}

/** Whether a client expects something from the server. */
function isWaiting(client: pg.Client): boolean {
  const { connection, readyForQuery, _ending } = internalsOf(client);
  return (!readyForQuery || _ending) && !connection.stream.isPaused();
}

function isIdle(client: pg.Client): boolean {
  const { readyForQuery, _ending } = internalsOf(client);
  return readyForQuery && !_ending && client.getTransactionStatus() === "I";
}

/** The private parts of the driver that this relies on. A test says if a new version moves them. */
interface Internals {
  readonly connection: { readonly stream: import("node:net").Socket };
  readonly processID: number | null;
  /** False while connecting, and while a statement runs. */
  readonly readyForQuery: boolean;
  readonly _ending: boolean;
}

function internalsOf(client: pg.Client): Internals {
  return client as unknown as Internals;
}
