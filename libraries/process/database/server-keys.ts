import { randomBytes } from "node:crypto";
import type pg from "pg";

const keyBytes = 32;

/**
 * Returns the key of that name from the table `server_keys` of a schema: 32 random bytes that all
 * processes of a service share. The first process makes the key. If several start together, one
 * wins, and all read its key.
 */
export async function serverKey(
  pool: pg.Pool,
  schema: "uploads" | "auth",
  name: string,
): Promise<Buffer> {
  await pool.query(
    `insert into ${schema}.server_keys (name, key) values ($1, $2) on conflict do nothing`,
    [name, randomBytes(keyBytes)],
  );
  const { rows } = await pool.query<{ key: Buffer }>(
    `select key from ${schema}.server_keys where name = $1`,
    [name],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`Cannot read the server key "${name}": it was deleted`);
  return row.key;
}
