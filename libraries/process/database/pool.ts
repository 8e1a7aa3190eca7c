import pg from "pg";
import { errorText } from "../error-text.ts";
import type { Logger } from "../logger.ts";

export interface PoolOptions {
  readonly databaseUrl: string;
  /** Most connections open at once; further queries wait. */
  readonly connectionsMax: number;
  /** Shown by PostgreSQL in pg_stat_activity. */
  readonly applicationName: string;
  readonly logger: Logger;
  /** The server cancels a statement that runs longer. Default: no limit. */
  readonly statementTimeoutMs?: number;
  /**
   * The driver abandons a statement that has no answer after this time, and its connection.
   * Default: a second more than the server has for it.
   */
  readonly answerTimeoutMs?: number;
  /** Longest time to connect, or to wait for a free connection. Default: 10,000. */
  readonly waitMaxMs?: number;
  /** The class of the connections. Default: the driver's `Client`. */
  readonly Client?: new (
    config?: string | pg.ClientConfig,
  ) => pg.Client;
  /** Parsers of column types, for this pool only. Default: the driver's (int8 as text). */
  readonly types?: pg.CustomTypesConfig;
  /** Server settings for these connections, by name. Values are single words. */
  readonly serverSettings?: Readonly<Record<string, string>>;
}

/**
 * A pool of PostgreSQL connections in UTF-8, UTC and ISO dates, whatever the server's defaults are.
 * It opens the first connection for the first query. A connection that breaks while idle is logged
 * and replaced; it never ends the program. If the network swallows what is sent, a statement with a
 * time limit fails when that is over, and any other when the system gives its connection up.
 */
export function openPool(options: PoolOptions): pg.Pool {
  const { logger, statementTimeoutMs, Client = pg.Client } = options;
  const answerTimeoutMs =
    options.answerTimeoutMs ?? (statementTimeoutMs && statementTimeoutMs + answerSlackMs);
  const pool = new pg.Pool({
    connectionString: withSessionSettings(options.databaseUrl, options.serverSettings),
    application_name: options.applicationName,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.waitMaxMs ?? waitMaxMsDefault,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs }),
    ...(answerTimeoutMs && { query_timeout: answerTimeoutMs }),
    ...(options.types && { types: options.types }),
    Client,
  });
  pool.on("error", (error) => {
    // An embedded server may stop before it has noticed that a connection was closed.
    if (pool.ending) return;
    logger.warn({ reason: errorText(error) }, "an idle database connection broke");
  });
  return pool;
}

const waitMaxMsDefault = 10_000;
/** A new connection plans each of its statements anew, which makes the first calls slower. */
const idleTimeoutMs = 600_000;
/** For the way of an answer. */
const answerSlackMs = 1000;
/** A connection without traffic is tested after this time, here and by the server. */
const keepAliveMs = 10_000;

/** Sent in the start-up message, so they cost no extra round trip. */
const sessionDefaults =
  "-c TimeZone=UTC -c client_encoding=UTF8 -c DateStyle=ISO " +
  `-c tcp_keepalives_idle=${keepAliveMs / 1000} -c tcp_keepalives_interval=5`;

/** Adds these server settings and the defaults to a URL, after options of its own. */
export function withSessionSettings(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): string {
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const url = new URL(databaseUrl);
  const given = url.searchParams.get("options");
  const options = [...(given ? [given] : []), ...own, sessionDefaults].join(" ");
  url.searchParams.set("options", options);
  return url.href;
}

/**
 * Runs queries in one transaction, on a client or on a connection of a pool. Commits when `action`
 * resolves. When `action` rejects, the transaction is rolled back and this rejects with its error.
 */
export async function inTransaction<T>(
  database: pg.Pool | pg.ClientBase,
  action: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  if (!(database instanceof pg.Pool)) {
    return await runIn(database, action, () => rollBack(database));
  }
  const client = await database.connect();
  // Its statements reject too. Without a listener, the event would end the program.
  client.on("error", ignoreError);
  let isUsable = true;
  try {
    return await runIn(client, action, async (error) => {
      // A connection that does not answer would let the caller wait for the rollback, too.
      isUsable = !isDatabaseUnavailable(error) && (await rollBack(client));
    });
  } finally {
    client.off("error", ignoreError);
    // Closing the connection rolls back, whatever state the connection is in.
    client.release(!isUsable);
  }
}

const ignoreError = () => {};

async function runIn<T>(
  client: pg.ClientBase,
  action: (client: pg.ClientBase) => Promise<T>,
  undo: (error: unknown) => Promise<unknown>,
): Promise<T> {
  try {
    await client.query("begin");
    const result = await action(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await undo(error);
    throw error;
  }
}

/** Returns whether the connection can be used again. */
async function rollBack(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    // If the connection is broken, so is the transaction, and the first error says more.
    return false;
  }
}

/**
 * SQLSTATEs of lost or refused connections, a refused role or password, a read-only server, a full
 * disk, too little memory, too many connections, a shutdown, and a database that does not exist.
 * Not 53400: a query that needs more temporary files than allowed fails each time.
 */
const sqlStates = /^(08...|25006|28...|3D000|53[123]00|57P0[1-5])$/;

/** System errors of connections that cannot be made or were lost. */
const systemErrors = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Codes of Node for a server whose certificate is refused, for instance when it has expired. */
const certificateErrors = /^(CERT_|DEPTH_ZERO_|ERR_TLS_CERT_|SELF_SIGNED_|UNABLE_TO_)/;

/** How errors of the driver begin, which have no code. */
const driverMessages = [
  "Connection terminated",
  "Client has encountered a connection error",
  "timeout exceeded when",
  "timeout expired",
  "Query read timeout",
  "The server does not support SSL connections",
];

/**
 * Whether a query failed because the database cannot be reached or accepts no queries now, so that
 * the same query may succeed later. Any other error is a bug of the program.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  const isOfDriver = driverMessages.some((beginning) => error.message.startsWith(beginning));
  const isOfSystem = systemErrors.has(code) || certificateErrors.test(code);
  return sqlStates.test(code) || isOfSystem || isOfDriver;
}

/** Whether the server cancelled a statement, for instance because of its `statement_timeout`. */
export function isQueryCancelled(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "57014";
}
