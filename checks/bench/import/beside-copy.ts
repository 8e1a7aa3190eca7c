import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createLogger, openDatabase } from "@stowage/process";
import { withClient } from "@stowage/process/testing";
import { serverSettings } from "../database/loaded-database.ts";
import { copyRowsFrom, copyRowsTo } from "./copied-rows.ts";
import { runCommand } from "./run-command.ts";

/**
 * Measures in a new database, then a COPY of the rows that are in it, in another new database. Both
 * start alike: without a file or a page of memory that an earlier import has left.
 */
export async function besideCopy<T>(
  folder: string,
  signal: AbortSignal,
  measure: (databaseUrl: string) => Promise<T>,
): Promise<{ readonly measured: T; readonly copySeconds: number }> {
  const rows = join(folder, "rows");
  await mkdir(rows, { recursive: true });
  const measured = await inNewDatabase(join(folder, "database"), async (databaseUrl) => {
    const result = await measure(databaseUrl);
    await withClient(databaseUrl, (client) => copyRowsTo(rows, client));
    return result;
  });
  const copySeconds = await inNewDatabase(join(folder, "database-of-copy"), async (databaseUrl) => {
    // Creates the tables.
    await runCommand(["buckets", "list"], { databaseUrl, signal });
    return await withClient(databaseUrl, (client) => copyRowsFrom(rows, client));
  });
  return { measured, copySeconds };
}

async function inNewDatabase<T>(
  path: string,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const logger = createLogger({ name: "bench", level: "warn" });
  const dataDir = { path, isDefault: false };
  const { databaseUrl, close } = await openDatabase({ dataDir, logger, serverSettings });
  try {
    return await work(databaseUrl);
  } finally {
    await close();
  }
}
