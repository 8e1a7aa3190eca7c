import { totalmem } from "node:os";
import { join } from "node:path";
import { createLogger, openDatabase } from "@stowage/process";
import pg from "pg";
import { copyAgain } from "./copy-again.ts";

/** What PostgreSQL's manual recommends for a server of its own. */
const serverSettings = { shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB` };

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
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const copySeconds = await copyAgain(client, join(folder, "rows"));
    await client.end();
    return { measured, copySeconds };
  } finally {
    await close();
  }
}
