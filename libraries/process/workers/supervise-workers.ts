/**
 * Several processes of one program that listen on one port: a primary, and its workers, of which it
 * starts another where one dies.
 *
 * Each worker listens by itself, and the kernel divides the connections among them (SO_REUSEPORT).
 * A primary that accepts and hands on, as node:cluster has it, divides them more evenly, but the
 * connection that it hands to a worker which has just died hangs for ever.
 */
import type { Logger } from "../logger.ts";
import { untilAborted } from "../until-aborted.ts";
import { forkWorker, type RunningWorker, type WorkerEnd } from "./fork-worker.ts";

export interface WorkersOptions {
  readonly count: number;
  /** Added to the workers' environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts when all are to end. */
  readonly signal: AbortSignal;
  /** What has not ended so long after it was told to is killed. */
  readonly stopTimeoutMs: number;
  /** The pause before the first restart; it doubles with each death in a row. Default 100. */
  readonly restartPauseMs?: number;
  readonly logger: Logger;
  /** Called once, when all are ready, with what the first one reported. */
  readonly onReady: (report: string) => void;
}

/**
 * Runs this very program as so many workers, which call `runProgram` and `reportReady`, until the
 * signal aborts and all have ended. None is left when this settles.
 *
 * Where a worker dies another is started, after a pause that grows as long as they go on dying.
 * Rejects when one ends at the first start before it is ready; later only when none is ready and
 * ten in a row have died.
 */
export async function superviseWorkers(options: WorkersOptions): Promise<void> {
  const workers = new Workers(options);
  const killAll = () => workers.kill();
  process.once("exit", killAll);
  try {
    // One first: what is wrong with all of them is told once.
    const report = await workers.start();
    await Promise.all(Array.from({ length: options.count - 1 }, () => workers.start()));
    options.onReady(report);
    await untilAborted(workers.failed, options.signal);
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    await workers.stop();
    process.off("exit", killAll);
  }
}

const restartPauseMsDefault = 100;
const restartPauseMaxMs = 30_000;
/** A worker that has been ready for so long ends a row of deaths. */
const steadyMs = 60_000;
const deathsMax = 10;

class Workers {
  readonly #options: WorkersOptions;
  readonly #failure = Promise.withResolvers<never>();
  readonly #running = new Set<RunningWorker>();
  readonly #ready = new Set<RunningWorker>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #deathsInARow = 0;
  #isStopping = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
    // Nobody need be waiting yet.
    this.failed.catch(() => undefined);
  }

  /** Rejects when workers cannot be kept running. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Starts one, and gives what it reports when it is ready. Rejects when it ends before. */
  async start(): Promise<string> {
    const { signal, environment } = this.#options;
    signal.throwIfAborted();
    const worker = forkWorker(environment);
    this.#running.add(worker);
    void worker.ended.then(() => this.#running.delete(worker));
    const report = await untilAborted(worker.ready, signal);
    this.#ready.add(worker);
    const steady = setTimeout(() => {
      this.#deathsInARow = 0;
    }, steadyMs);
    void worker.ended.then((end) => {
      clearTimeout(steady);
      this.#ready.delete(worker);
      this.#onDeath({ ...end, workerProcessId: worker.processId });
    });
    return report;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const restart of this.#restarts) clearTimeout(restart);
    for (const worker of this.#running) worker.stop();
    const tooLate = setTimeout(() => {
      this.#options.logger.warn("workers that did not end in time are killed");
      this.kill();
    }, this.#options.stopTimeoutMs);
    await Promise.all(Array.from(this.#running, (worker) => worker.ended));
    clearTimeout(tooLate);
  }

  kill(): void {
    for (const worker of this.#running) worker.kill();
  }

  #onDeath(how: Partial<WorkerEnd> & Readonly<Record<string, unknown>>): void {
    if (this.#isStopping) return;
    const { logger, restartPauseMs = restartPauseMsDefault } = this.#options;
    const restartInMs = Math.min(restartPauseMaxMs, restartPauseMs * 2 ** this.#deathsInARow);
    this.#deathsInARow += 1;
    if (this.#ready.size === 0 && this.#deathsInARow >= deathsMax) {
      const message = `Cannot keep a worker running: ${this.#deathsInARow} ended in a row`;
      this.#failure.reject(new Error(message));
      return;
    }
    logger.error({ ...how, restartInMs }, "a worker died");
    const restart = setTimeout(() => {
      this.#restarts.delete(restart);
      this.start().then(
        () => logger.info("another worker is there for one that died"),
        (error: Error) => this.#onDeath({ reason: error.message }),
      );
    }, restartInMs);
    this.#restarts.add(restart);
  }
}
