import type { Logger } from "../logger.ts";
import { openPool } from "./pool.ts";

/** How many database connections the server allows, and how many there are. */
export interface ConnectionLimits {
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
