import { type MigrateOptions, migrate } from "@stowage/process";

/** The schema of the service, and the folder of its migrations. */
export const authSchema = {
  schema: "auth",
  directory: new URL("../schema/", import.meta.url),
};

/** Brings the schema of the database to that of this version. */
export async function migrateStore(
  options: Omit<MigrateOptions, "schema" | "directory">,
): Promise<void> {
  await migrate({ ...options, ...authSchema });
}
