import pg from "pg";
import { superuser } from "./cluster.ts";

export interface PrepareOptions {
  readonly port: number;
  readonly password: string;
  /** Tests make databases of their own. */
  readonly mayCreateDatabases?: boolean;
}

/** Role and database of our programs. */
const name = "stowage";

/**
 * Makes the database and the role that owns it, if they are missing, and returns their address. The
 * role has no power over the server, so that programs work here exactly as with a database they
 * were lent.
 */
export async function prepareDatabase(options: PrepareOptions): Promise<string> {
  const { port, password } = options;
  const client = new pg.Client({
    connectionString: addressOf(superuser, password, port, "postgres"),
    application_name: "stowage-start",
    connectionTimeoutMillis: 10_000,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const role = await client.query("select from pg_roles where rolname = $1", [name]);
    if (role.rowCount === 0) {
      const right = options.mayCreateDatabases ? "createdb" : "nocreatedb";
      const secret = client.escapeLiteral(password);
      await client.query(`create role ${name} login ${right} password ${secret}`);
    }
    const database = await client.query("select from pg_database where datname = $1", [name]);
    if (database.rowCount === 0) {
      // From template0: nothing that somebody put into template1 comes along.
      await client.query(`create database ${name} owner ${name} template template0`);
    }
  } finally {
    await client.end();
  }
  return addressOf(name, password, port, name);
}

function addressOf(user: string, password: string, port: number, database: string): string {
  return `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}
