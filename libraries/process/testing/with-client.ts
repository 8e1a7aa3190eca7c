import pg from "pg";

/** Runs an action with a connection of its own, and closes it. */
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
