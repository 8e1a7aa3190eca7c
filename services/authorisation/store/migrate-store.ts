import { type Logger, migrate } from "@stowage/process";

/** Brings the schema `auth` of the database to that of this version. */
export async function migrateStore(databaseUrl: string, logger: Logger): Promise<void> {
  const directory = new URL("../schema/", import.meta.url);
  await migrate({ databaseUrl, schema: "auth", directory, logger });
}
