import pg from "pg";

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
