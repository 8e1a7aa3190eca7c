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
  /** The server ends a statement that runs longer; none unless given. */
  readonly statementTimeoutMs?: number;
  /** The driver gives a statement up that has no answer after this time; none unless given. */
  readonly answerTimeoutMs?: number;
  /** What the connections are, where they are not the driver's own clients. */
  readonly Client?: new (
    config?: string | pg.ClientConfig,
  ) => pg.Client;
  /** Parsers of column types, for this pool only; the driver's own otherwise (int8 as text). */
  readonly types?: pg.CustomTypesConfig;
  /** Settings of the server for these connections, by name; values are single words. */
  readonly serverSettings?: Readonly<Record<string, string>>;
}

/**
 * A pool of PostgreSQL connections in UTF-8, UTC and ISO dates, whatever the server's defaults are.
 * It opens a connection when the first query asks for one. A connection that breaks while idle is
 * logged and replaced; it never ends the program.
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

/** Reaching PostgreSQL and, when all connections are busy, waiting for one, in all. */
const connectionTimeoutMs = 10_000;
const idleTimeoutMs = 60_000;

/** Sent with the connection's start, so that they cost no round trip of their own. */
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
