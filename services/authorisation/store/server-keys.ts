/** Keys that all processes of the service share. */
import { randomBytes } from "node:crypto";
import type pg from "pg";

/**
 * Returns the key of the hashes of client secrets. The key is in the database like the hashes: the
 * secrets have 256 random bits, which nobody can guess with it.
 */
export function clientSecretKey(pool: pg.Pool): Promise<Buffer> {
  return serverKey(pool, "client secrets");
}

/** Returns the key of the cookies of known devices: see sign-in/login-attempts.ts. */
export function knownDeviceKey(pool: pg.Pool): Promise<Buffer> {
  return serverKey(pool, "known devices");
}

/** The first process makes the key. */
async function serverKey(pool: pg.Pool, name: string): Promise<Buffer> {
  await pool.query(
    "insert into auth.server_keys (name, key) values ($1, $2) on conflict do nothing",
    [name, randomBytes(32)],
  );
  const { rows } = await pool.query<{ key: Buffer }>(
    "select key from auth.server_keys where name = $1",
    [name],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`Cannot read the server key "${name}": it was deleted`);
  return row.key;
}
