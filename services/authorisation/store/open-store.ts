/** Opens the database of the service and migrates it. */
import { type Database, type Logger, migrate, openDatabase } from "@stowage/process";

/** Opens the database, with the schema `auth` of this version. */
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
