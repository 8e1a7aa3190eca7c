import { type DataDir, openDatabase } from "../database/embedded/open-database.ts";
import { type MigrateOptions, migrate } from "../database/migrations/migrate.ts";
import { holdPort } from "../http/listening.ts";
import { createLogger, type Logger } from "../logger.ts";
import { type Metrics, openMetrics } from "../metrics/open-metrics.ts";
import { logStop } from "../workers/stop-signal.ts";
import { isWorker } from "../workers/worker-process.ts";
import { superviseWorkers } from "../workers/workers.ts";

interface ServiceOptions {
  readonly name: string;
  readonly settings: {
    readonly logLevel: string;
    readonly metricsPort: number | undefined;
    readonly host: string;
    readonly port: number;
    readonly databaseUrl: string | undefined;
    readonly dataDir: DataDir;
    readonly drainMs: number;
  };
  /** The primary brings it to that of this version. */
  readonly schema: Pick<MigrateOptions, "schema" | "directory">;
  readonly workers: number;
  /** Variables to add to the environment of the workers, besides `PORT` and `DATABASE_URL`. */
  readonly environment: (
    databaseUrl: string,
    logger: Logger,
  ) => Promise<Readonly<Record<string, string>>>;
  /** The time that running calls get to end. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  /**
   * Serves until the signal aborts, in a worker. It must call `reportReady` with the address. The
   * primary stays small: import the code of the service here.
   */
  readonly serve: (worker: WorkerContext) => Promise<void>;
}

interface WorkerContext {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The time that a worker gets to end, beyond the time for running calls. */
const endingMs = 10_000;

/**
 * Runs a service until the signal aborts. The primary keeps the embedded database open, if that is
 * used, and runs this program again as workers on one port. An uncaught error thus costs a worker,
 * and not the service.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const { name, settings, serve } = options;
  const logger = createLogger({ name, level: settings.logLevel });
  if (!isWorker()) logStop(options.signal, logger);
  const metrics = await openMetrics({ ...settings, logger });
  // A worker gets its address from the primary.
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  try {
    if (isWorker()) await serve({ databaseUrl, logger, metrics });
    else await supervise(options, databaseUrl, logger);
  } catch (error) {
    // A program that is told to end while it starts has not failed.
    if (isWorker() || !options.signal.aborted) throw error;
  } finally {
    await close();
  }
  await metrics.close();
}

async function supervise(
  options: ServiceOptions,
  databaseUrl: string,
  logger: Logger,
): Promise<void> {
  const { name, settings, schema, workers, graceMs, signal } = options;
  const onReady = (address: string) => process.stdout.write(`${name}: listening on ${address}\n`);
  const held = await holdPort(settings);
  try {
    const environment = await options.environment(databaseUrl, logger);
    // Not in the workers: when one is replaced, a newer version may have migrated the schema.
    await migrate({ ...schema, databaseUrl, writes: true, logger, signal });
    await superviseWorkers({
      count: workers,
      environment: {
        ...environment,
        DATABASE_URL: databaseUrl,
        PORT: `${held.port}`,
      },
      signal,
      stopTimeoutMs: settings.drainMs + graceMs + endingMs,
      logger,
      onReady: (address) => void held.release().then(() => onReady(address)),
    });
  } finally {
    await held.release();
  }
}
