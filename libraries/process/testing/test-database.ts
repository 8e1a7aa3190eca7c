/**
 * A database for one test, on a real server, made in a moment as a copy of one that has the schema.
 */
import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { applyMigrations } from "../database/migrations/migrate.ts";
import { readMigrations } from "../database/migrations/migrations.ts";
import { testServerUrl } from "./test-server.ts";

export interface TestDatabase {
  readonly databaseUrl: string;
  /** Removes the database. Fails when connections are still open: something was not closed. */
  drop(): Promise<void>;
}

/** What a test database contains from the start; without it, it is empty. */
type TestContent = TestSchema | PreparedContent;

/** A schema with its migrations applied. */
export interface TestSchema {
  readonly schema: string;
  readonly directory: URL;
}

/** Content that takes a while to make: it is made once for each server, and then copied. */
export interface PreparedContent {
  /** All that the content depends on. */
  readonly key: string;
  /** Fills an empty database, and closes its connections. */
  fill(databaseUrl: string): Promise<void>;
}

export async function createTestDatabase(content?: TestContent): Promise<TestDatabase> {
  const serverUrl = await testServerUrl();
  const name = `test_${randomBytes(8).toString("hex")}`;
  await withClient(serverUrl, async (client) => {
    const prepared = content && (await prepare(content));
    const template = prepared ? await ensureTemplate(client, serverUrl, prepared) : "template0";
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    databaseUrl: databaseAddress(serverUrl, name),
    drop: () => withClient(serverUrl, (client) => drop(client, name)),
  };
}

async function prepare(content: TestContent): Promise<PreparedContent> {
  if ("key" in content) return content;
  const { schema, directory } = content;
  const migrations = await readMigrations(directory);
  return {
    key: JSON.stringify([schema, migrations.map(({ name, sql }) => [name, sql])]),
    fill: (databaseUrl) => applyMigrations({ databaseUrl, schema, migrations }),
  };
}

/** The template's name is a hash of its key, so it is made once for each server and never stale. */
async function ensureTemplate(
  client: pg.Client,
  serverUrl: string,
  { key, fill }: PreparedContent,
): Promise<string> {
  const template = `template_${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
  const lock = [template];
  await client.query("select pg_advisory_lock(hashtextextended($1, 0))", lock);
  const found = await client.query("select from pg_database where datname = $1", [template]);
  if (found.rowCount === 0) {
    const partial = `partial_${randomBytes(8).toString("hex")}`;
    await client.query(`create database ${partial} template template0`);
    await fill(databaseAddress(serverUrl, partial));
    await client.query(`alter database ${partial} rename to ${template}`);
  }
  await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", lock);
  return template;
}

/** Time a closed connection's server process has to end. */
const closingTimeMs = 5000;

async function drop(client: pg.Client, name: string): Promise<void> {
  const deadline = performance.now() + closingTimeMs;
  let open = await openConnections(client, name);
  while (open.length > 0 && performance.now() < deadline) {
    await client.query("select pg_sleep(0.02)");
    open = await openConnections(client, name);
  }
  await client.query(`drop database ${name} with (force)`);
  if (open.length > 0) {
    throw new Error(`Cannot drop ${name} in peace: still connected: ${open.join("; ")}`);
  }
}

async function openConnections(client: pg.Client, name: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select application_name || ': ' || left(query, 100) as text
     from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
    [name],
  );
  return rows.map(({ text }) => text);
}

function databaseAddress(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs an action with a new connection, and closes it. */
export async function withClient<T>(
  databaseUrl: string,
  action: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "stowage-test" });
  await client.connect();
  try {
    return await action(client);
  } finally {
    await client.end();
  }
}
