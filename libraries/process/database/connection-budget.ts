/** How many database connections a program may use, from what the server allows. */
import type { Logger } from "../logger.ts";
import { openPool } from "./pool.ts";

interface ConnectionLimits {
  /** Connections that this role may have to this database, without reserved ones. */
  readonly allowed: number;
  /** Connections of all programs. */
  readonly inUse: number;
}

export async function readConnectionLimits(
  databaseUrl: string,
  logger: Logger,
): Promise<ConnectionLimits> {
  const applicationName = "stowage-start";
  const pool = openPool({ databaseUrl, connectionsMax: 1, applicationName, logger });
  try {
    const connection = await pool.connect().catch((cause) => {
      throw new Error("Cannot connect to the database", { cause });
    });
    connection.release();
    const { rows } = await pool.query<ConnectionLimits>(`
      select least(
        current_setting('max_connections')::int
          - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0),
        nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as allowed,
        (select sum(numbackends) - 1 from pg_stat_database)::int as "inUse"
      from pg_roles, pg_database
      where rolname = current_user and datname = current_database()`);
    const [limits] = rows;
    if (limits === undefined) throw new Error("Cannot read the connection limits: got no row");
    return limits;
  } finally {
    await pool.end();
  }
}

interface Budget {
  readonly limits: ConnectionLimits;
  /** The part of the allowed connections that the program takes by default: 0.5 is half. */
  readonly share: number;
  readonly workers: number;
  /** Wanted for requests, in all workers together. */
  readonly requests: number;
  /** Whether that number was set. Otherwise it is a default, which shrinks to the share. */
  readonly isGiven: boolean;
  /** Returns how many connections a worker needs in all, if so many of them are for requests. */
  readonly connectionsOfWorker: (requests: number) => number;
}

/**
 * Returns how many connections all workers together get for requests, and how many connections the
 * program then uses at most.
 *
 * @throws if they exceed what the server allows, or if too few are free for one such connection in
 *   each worker.
 */
export function divideConnections(budget: Budget): {
  requests: number;
  connectionsMax: number;
} {
  const { limits, share, workers, isGiven, connectionsOfWorker } = budget;
  const neededFor = (requests: number) => workers * connectionsOfWorker(requests);
  let requests = Math.max(1, Math.floor(budget.requests / workers));
  const shareOfAllowed = Math.floor(limits.allowed * share);
  while (!isGiven && requests > 1 && neededFor(requests) > shareOfAllowed) requests -= 1;
  const left = limits.allowed - limits.inUse;
  const most = neededFor(requests);
  // Connections are opened as calls need them; at the start, at least the fewest must be free.
  const needed = most > limits.allowed ? most : neededFor(1);
  if (needed > left) {
    throw new Error(
      `Cannot get enough database connections: need ${needed}, the server allows ` +
        `${limits.allowed}, and ${limits.inUse} are in use; raise max_connections, or lower ` +
        "WORKERS or settings such as DATABASE_CONNECTIONS_MAX",
    );
  }
  return { requests: requests * workers, connectionsMax: most };
}
