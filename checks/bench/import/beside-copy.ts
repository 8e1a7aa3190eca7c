import { join } from "node:path";
import { createLogger, openDatabase } from "@stowage/process";
import { withClient } from "@stowage/process/testing";
import { serverSettings } from "../database/loaded-database.ts";
import { copyAgain } from "./copy-again.ts";

/**
 * Measures in a database of its own, then a COPY of what that has written, into the emptied tables.
 */
export async function besideCopy<T>(
  folder: string,
  measure: (databaseUrl: string) => Promise<T>,
): Promise<{ readonly measured: T; readonly copySeconds: number }> {
  const logger = createLogger({ name: "bench", level: "warn" });
  const dataDir = { path: join(folder, "database"), isDefault: false };
  const { databaseUrl, close } = await openDatabase({ dataDir, logger, serverSettings });
  try {
    const measured = await measure(databaseUrl);
    const copySeconds = await withClient(databaseUrl, (client) =>
      copyAgain(client, join(folder, "rows")),
    );
    return { measured, copySeconds };
  } finally {
    await close();
  }
}
