/** Runs queries in one transaction: all of it happens, or nothing. */
import type pg from "pg";

/** Commits when `action` resolves. When it rejects, everything is undone, and so does this. */
export async function inTransaction<T>(
  pool: pg.Pool,
  action: (connection: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect();
  try {
    await connection.query("begin");
    const result = await action(connection);
    await connection.query("commit");
    connection.release();
    return result;
  } catch (error) {
    // Closing the connection undoes the transaction, whatever state it is in.
    connection.release(true);
    throw error;
  }
}
