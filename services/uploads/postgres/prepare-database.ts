/** What a process needs of the database before it serves: the schema, and the shared keys. */
import { type Logger, migrate } from "@stowage/process";
import type pg from "pg";

/** The PostgreSQL schema of all tables of the uploads service. */
export const schemaName = "uploads";
/** The folder of its migrations. */
export const schemaDirectory = new URL("../schema/", import.meta.url);

/**
 * Applies the migrations that the database lacks. Throws `DatabaseTooNewError` if it has some that
 * this code does not know.
 */
export async function prepareDatabase(databaseUrl: string, logger: Logger): Promise<void> {
  await migrate({ databaseUrl, schema: schemaName, directory: schemaDirectory, logger });
}

/**
 * Returns the key of that name: random bytes that all servers of one database share. The first
 * server makes it. If several start together, one wins, and all read its key.
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
