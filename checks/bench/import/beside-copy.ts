import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createLogger, migrate, openDatabase } from "@stowage/process";
import { withClient } from "@stowage/process/testing";
import { serverSettings } from "../database/loaded-database.ts";
import { copyRowsFrom, copyRowsTo } from "./copied-rows.ts";

/**
 * Measures in a new database, then a COPY of the rows that are in it, in another new database. Both
 * start alike: with empty tables, and without a file or a page of memory of an earlier import.
 */
export async function besideCopy<T>(
  folder: string,
  measure: (databaseUrl: string) => Promise<T>,
): Promise<{ readonly measured: T; readonly copySeconds: number }> {
  const rows = join(folder, "rows");
  await mkdir(rows, { recursive: true });
  const measured = await inNewDatabase(folder, async (databaseUrl) => {
    const result = await measure(databaseUrl);
    await withClient(databaseUrl, (client) => copyRowsTo(rows, client));
    return result;
  });
  const copySeconds = await inNewDatabase(folder, (databaseUrl) =>
    withClient(databaseUrl, (client) => copyRowsFrom(rows, client)),
  );
  await rm(rows, { recursive: true });
  return { measured, copySeconds };
}

const schemaDirectory = new URL("../../../services/uploads/schema/", import.meta.url);

/** Removes the database afterwards. */
async function inNewDatabase<T>(
  folder: string,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const logger = createLogger({ name: "bench", level: "warn" });
  const dataDir = { path: join(folder, "database"), isDefault: false };
  const { databaseUrl, close } = await openDatabase({ dataDir, logger, serverSettings });
  try {
    await migrate({ databaseUrl, schema: "uploads", directory: schemaDirectory, logger });
    return await work(databaseUrl);
  } finally {
    await close();
    await rm(dataDir.path, { recursive: true });
  }
}
