/** A database whose connection has the settings that lists are read by. */
import { createTestDatabase } from "@stowage/process/testing";
import { schemaDirectory, schemaName } from "../../../postgres/prepare-database.ts";
import { RawClient } from "../../../postgres/raw-client.ts";
import { listSessionSettings } from "../statement.ts";

export interface ListDatabase extends AsyncDisposable {
  readonly client: RawClient;
}

export async function createListDatabase(): Promise<ListDatabase> {
  const database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
  const settings = Object.entries({ ...listSessionSettings, TimeZone: "UTC" });
  const client = new RawClient({
    connectionString: database.databaseUrl,
    options: settings.map(([name, value]) => `-c ${name}=${value}`).join(" "),
  });
  await client.connect();
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
      await database.drop();
    },
  };
}
