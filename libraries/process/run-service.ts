import { type DataDir, openDatabase } from "./embedded/open-database.ts";
import { holdPort } from "./listening.ts";
import { createLogger, type Logger } from "./logger.ts";
import { type Metrics, openMetrics } from "./metrics/open-metrics.ts";
import { isWorker } from "./worker-process.ts";
import { superviseWorkers } from "./workers.ts";

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
  readonly serve: (worker: { logger: Logger; metrics: Metrics }) => Promise<void>;
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
  const metrics = await openMetrics({ ...settings, logger });
  await (isWorker() ? serve({ logger, metrics }) : supervise(options, logger));
  await metrics.close();
}

async function supervise(options: ServiceOptions, logger: Logger): Promise<void> {
  const { name, settings, workers, graceMs, signal } = options;
  const onReady = (address: string) => process.stdout.write(`${name}: listening on ${address}\n`);
  const database = await openDatabase({ ...settings, logger });
  try {
    await using held = await holdPort(settings);
    await superviseWorkers({
      count: workers,
      environment: {
        ...(await options.environment(database.databaseUrl, logger)),
        DATABASE_URL: database.databaseUrl,
        PORT: `${held.port}`,
      },
      signal,
      stopTimeoutMs: settings.drainMs + graceMs + endingMs,
      logger,
      onReady: (address) => void held.share().then(() => onReady(address)),
    });
  } finally {
    await database.close();
  }
}
