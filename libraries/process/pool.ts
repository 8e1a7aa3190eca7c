import pg from "pg";
import { errorText } from "./error-text.ts";
import type { Logger } from "./logger.ts";

export interface PoolOptions {
  readonly databaseUrl: string;
  /** Most connections open at once; further queries wait. */
  readonly connectionsMax: number;
  /** Shown by PostgreSQL in pg_stat_activity. */
  readonly applicationName: string;
  readonly logger: Logger;
  /** The server cancels a statement that runs longer. Default: no limit. */
  readonly statementTimeoutMs?: number;
  /** The driver abandons a statement that has no answer after this time. Default: no limit. */
  readonly answerTimeoutMs?: number;
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
 * and replaced; it never ends the program.
 */
export function openPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSettings(options.databaseUrl, options.serverSettings),
    max: options.connectionsMax,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    ...(options.statementTimeoutMs && { statement_timeout: options.statementTimeoutMs }),
    ...(options.answerTimeoutMs && { query_timeout: options.answerTimeoutMs }),
    ...(options.types && { types: options.types }),
    ...(options.Client && { Client: options.Client }),
  });
  pool.on("error", (error) => {
    options.logger.warn({ reason: errorText(error) }, "an idle database connection broke");
  });
  return pool;
}

/** Longest time to connect, or to wait for a free connection. */
const connectionTimeoutMs = 10_000;
const idleTimeoutMs = 60_000;

/** Sent in the start-up message, so they cost no extra round trip. */
const sessionDefaults = "-c TimeZone=UTC -c client_encoding=UTF8 -c DateStyle=ISO";

export function withSessionDefaults(databaseUrl: string): string {
  return withOptions(databaseUrl, sessionDefaults);
}

function withSettings(databaseUrl: string, settings: Readonly<Record<string, string>> = {}) {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return withOptions(databaseUrl, [...options, sessionDefaults].join(" "));
}

function withOptions(databaseUrl: string, options: string): string {
  const url = new URL(databaseUrl);
  const own = url.searchParams.get("options");
  url.searchParams.set("options", own ? `${own} ${options}` : options);
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
  if (!(database instanceof pg.Pool)) return await runIn(database, action, rollBack);
  const client = await database.connect();
  // Closing the connection rolls back, whatever state the connection is in.
  const result = await runIn(client, action, async () => client.release(true));
  client.release();
  return result;
}

async function runIn<T>(
  client: pg.ClientBase,
  action: (client: pg.ClientBase) => Promise<T>,
  undo: (client: pg.ClientBase) => Promise<void>,
): Promise<T> {
  try {
    await client.query("begin");
    const result = await action(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await undo(client);
    throw error;
  }
}

async function rollBack(client: pg.ClientBase): Promise<void> {
  // If the connection is broken, so is the transaction, and the first error says more.
  await client.query("rollback").catch(() => undefined);
}

/**
 * SQLSTATEs of lost or refused connections, a full disk, too little memory, too many connections,
 * and a shutdown. Not 53400: a query that needs more temporary files than allowed fails each time.
 */
const sqlStates = /^(08...|57P0[1235]|53[123]00)$/;

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

/** Errors of the driver, which have no code. */
const driverMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when)/;

/**
 * Whether a query failed because the database cannot be reached or accepts no queries now, so that
 * the same query may succeed later. Any other error is a bug of the program.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return sqlStates.test(code) || systemErrors.has(code) || driverMessages.test(error.message);
}
