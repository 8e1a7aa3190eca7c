import type pg from "pg";
import { MigrationError } from "./errors.ts";

/** As `server_version_num` counts. */
const serverVersionMin = 150_000;

/** @throws {MigrationError} when the server or the database cannot hold our schemas. */
export async function requireSuitableServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string; encoding: string }>(
    `select current_setting('server_version_num')::integer as number,
            current_setting('server_version') as version,
            current_setting('server_encoding') as encoding`,
  );
  const [server] = rows;
  if (server === undefined || server.number < serverVersionMin) {
    throw new MigrationError(
      `Cannot use the database: the server is PostgreSQL ${server?.version}, need 15 or newer`,
    );
  }
  if (server.encoding !== "UTF8") {
    throw new MigrationError(
      `Cannot use the database: its encoding is ${server.encoding}, need UTF8`,
    );
  }
}
