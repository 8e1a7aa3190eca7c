import type pg from "pg";

/**
 * The key of that name, random bytes that all servers of one database share. The first server
 * makes it; of several that start together one wins, and all read the winner's.
 */
export async function serverKey(
  pool: pg.Pool,
  name: string,
  makeKey: () => Uint8Array,
): Promise<Uint8Array> {
  await pool.query(
    "insert into uploads.server_keys (name, key) values ($1, $2) on conflict do nothing",
    [name, Buffer.from(makeKey())],
  );
  const found = await pool.query<{ key: Buffer }>(
    "select key from uploads.server_keys where name = $1",
    [name],
  );
  const [row] = found.rows;
  if (row === undefined) throw new Error(`Cannot read the server key "${name}": it was deleted`);
  return row.key;
}
