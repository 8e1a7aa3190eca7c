/** Brings the schema of a database up to date. */
import { type MigrateOptions, migrate } from "@stowage/process";

/** The PostgreSQL schema of all tables of the uploads service. */
export const schemaName = "uploads";
/** The folder of its migrations. */
export const schemaDirectory = new URL("../schema/", import.meta.url);

/**
 * Applies the migrations that the database lacks. Throws `MigrationError` if it has some that this
 * code does not know.
 */
export async function prepareDatabase(
  options: Omit<MigrateOptions, "schema" | "directory">,
): Promise<void> {
  await migrate({ ...options, schema: schemaName, directory: schemaDirectory });
}
