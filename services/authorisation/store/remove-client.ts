/** Takes a client away. Its application stays, and so do the records of what it was granted. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";

/**
 * Removes a client, with its codes and refresh tokens: one that is added later with the same ID
 * need not be the same. `clientId` must be a UUID. Gives false when there was none.
 */
export async function removeClient(pool: pg.Pool, clientId: string): Promise<boolean> {
  return await inTransaction(pool, async (connection) => {
    await connection.query("delete from auth.provider_records where client_id = $1", [clientId]);
    const { rowCount } = await connection.query("delete from auth.clients where client_id = $1", [
      clientId,
    ]);
    return rowCount === 1;
  });
}
