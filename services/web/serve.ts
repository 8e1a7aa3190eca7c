/** A worker: opens the database, and serves until a signal. */
import { migrate, openDatabase, reportReady, untilDrained } from "@stowage/process";
import { type ServiceOptions, startService } from "./service.ts";

/** Serves requests until the signal aborts, and waits for the running ones. */
export async function serve(options: Omit<ServiceOptions, "databaseUrl">): Promise<void> {
  const { settings, logger, signal } = options;
  const database = await openDatabase({ ...settings, logger });
  try {
    const { databaseUrl } = database;
    const directory = new URL("schema/", import.meta.url);
    await migrate({ databaseUrl, schema: "web", directory, logger });
    const service = await startService({ ...options, databaseUrl });
    reportReady(service.origin);
    await untilDrained(signal, settings.drainMs);
    logger.info("stopping");
    await service.stop();
  } finally {
    await database.close();
  }
}
