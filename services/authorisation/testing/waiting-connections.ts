import type pg from "pg";

/**
 * Whether so many connections to the database of the test wait for locks of others. The server has
 * databases of other tests, too, which run at the same time.
 */
export async function areWaiting(pool: pg.Pool, connections: number): Promise<boolean> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return rows[0]?.count === connections;
}
