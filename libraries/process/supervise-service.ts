import { type DataDir, openDatabase } from "./embedded/open-database.ts";
import { holdPort } from "./listening.ts";
import type { Logger } from "./logger.ts";
import { superviseWorkers } from "./workers.ts";

interface ServiceOptions {
  readonly settings: {
    readonly host: string;
    readonly port: number;
    readonly databaseUrl: string | undefined;
    readonly dataDir: DataDir;
    readonly drainMs: number;
  };
  readonly workers: number;
  /** Variables to add to the environment of the workers, besides `PORT` and `DATABASE_URL`. */
  readonly environment: (databaseUrl: string) => Promise<Readonly<Record<string, string>>>;
  /** The time that running calls get to end. */
  readonly graceMs: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Called once, when all workers are ready, with the report of the first one. */
  readonly onReady: (report: string) => void;
}

/** The time that a worker gets to end, beyond the time for running calls. */
const endingMs = 10_000;

/**
 * The primary of a service: keeps the embedded database open, if that is used, and runs the workers
 * on one port until the signal aborts. An uncaught error thus costs a worker, and not the service.
 */
export async function superviseService(options: ServiceOptions): Promise<void> {
  const { settings, workers, graceMs, logger, signal, onReady } = options;
  const database = await openDatabase({ ...settings, logger });
  try {
    const { port, release } = await holdPort(settings);
    await superviseWorkers({
      count: workers,
      environment: {
        ...(await options.environment(database.databaseUrl)),
        DATABASE_URL: database.databaseUrl,
        PORT: `${port}`,
      },
      signal,
      stopTimeoutMs: settings.drainMs + graceMs + endingMs,
      logger,
      onReady: (report) => void release().then(() => onReady(report)),
    });
  } finally {
    await database.close();
  }
}
