/** A database whose connection has the settings that lists are read by. */
import { createTestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { schemaDirectory, schemaName } from "../../../postgres/prepare-database.ts";
import { listPlanSettings } from "../list-plan.ts";

export interface ListDatabase extends AsyncDisposable {
  readonly client: pg.Client;
}

export async function createListDatabase(): Promise<ListDatabase> {
  const database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
  const settings = Object.entries({ ...listPlanSettings, TimeZone: "UTC" });
  const client = new pg.Client({
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
