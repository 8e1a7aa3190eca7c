import { type Logger, migrate } from "@stowage/process";

/** The PostgreSQL schema that all tables of the uploads service are in. */
export const schemaName = "uploads";
/** The folder of its migrations. */
export const schemaDirectory = new URL("../schema/", import.meta.url);

/**
 * Brings the database to the schema of this code. Throws `DatabaseTooNewError` when newer code has
 * been here.
 */
export async function prepareDatabase(databaseUrl: string, logger: Logger): Promise<void> {
  await migrate({ databaseUrl, schema: schemaName, directory: schemaDirectory, logger });
}
