import type pg from "pg";

/**
 * Rejects unless the database answers and accepts writes. After a failover, a server may be a
 * standby, which only answers reads.
 */
export async function requireWritable(database: Pick<pg.Pool, "query">): Promise<void> {
  const { rows } = await database.query<{ isReadOnly: boolean; isStandby: boolean }>(
    `select current_setting('transaction_read_only')::boolean as "isReadOnly",
            pg_is_in_recovery() as "isStandby"`,
  );
  const [server] = rows;
  if (!server?.isReadOnly) return;
  const got = server.isStandby ? "the server is a standby" : "its transactions are read-only";
  throw new Error(`Cannot write to the database: ${got}, need the primary`);
}
