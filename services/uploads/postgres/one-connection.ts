import type pg from "pg";

/** Runs `work` on a connection of the pool that is closed when the signal aborts. */
export async function onOneConnection<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks also fails the running statement, which reports the error.
  client.on("error", () => undefined);
  let isClosed = false;
  // Closing the connection also drops the staging tables.
  const close = () => {
    if (!isClosed) client.release(true);
    isClosed = true;
  };
  signal.addEventListener("abort", close, { once: true });
  try {
    signal.throwIfAborted();
    await client.query(sessionSettings);
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

// A large import may take any time, but not longer than its program lives. One that is suspended in
// a transaction loses its connection, since others wait for its locks: between two statements, and
// while the server sends rows. No limit applies while the server waits for the rows of a COPY, so
// none runs while other imports wait for a lock.
const sessionSettings = `set statement_timeout = 0; set client_connection_check_interval = '2s';
  set idle_in_transaction_session_timeout = '60s'; set tcp_user_timeout = '60s'`;
