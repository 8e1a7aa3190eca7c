/** Takes a client away. Its application stays, and so do the records of what it was granted. */
import type pg from "pg";

/** Removes a client. `clientId` must be a UUID. Gives false when there was none. */
export async function removeClient(pool: pg.Pool, clientId: string): Promise<boolean> {
  const { rowCount } = await pool.query("delete from auth.clients where client_id = $1", [
    clientId,
  ]);
  return rowCount === 1;
}
