/** The service's database, opened and brought up to date. */
import { type Database, type Logger, migrate, openDatabase } from "@stowage/process";

/** The database that the settings name, with the schema `auth` as this version needs it. */
export async function openStore(options: {
  databaseUrl: string | undefined;
  dataDir: Parameters<typeof openDatabase>[0]["dataDir"];
  logger: Logger;
}): Promise<Database> {
  const database = await openDatabase(options);
  try {
    await migrate({
      databaseUrl: database.databaseUrl,
      schema: "auth",
      directory: new URL("../schema/", import.meta.url),
      logger: options.logger,
    });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
