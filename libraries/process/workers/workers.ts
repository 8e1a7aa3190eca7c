/**
 * Several processes of one program that listen on one port: a primary, and workers that it restarts
 * when they die.
 *
 * Each worker listens itself, and the kernel distributes the connections (SO_REUSEPORT). A primary
 * that accepts and passes on connections, as in node:cluster, distributes them more evenly. But a
 * connection that it passes to a worker that has just died would hang for ever.
 */
import { once } from "node:events";
import { errorText } from "../error-text.ts";
import type { Logger } from "../logger.ts";
import { untilAborted } from "../until-aborted.ts";
import { Stopped } from "./stop-signal.ts";
import { forkWorker, type RunningWorker, type WorkerEnd } from "./worker-process.ts";

interface WorkersOptions {
  readonly count: number;
  /** Added to the environment of the workers. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts when all workers must end. */
  readonly signal: AbortSignal;
  /** A worker that has not ended after this time is killed. */
  readonly stopTimeoutMs: number;
  /** The pause before a restart; it doubles with each consecutive death. Default 100. */
  readonly restartPauseMs?: number;
  /** A worker whose event loop has not run for this time is killed. Default 10,000. */
  readonly hangTimeoutMs?: number;
  readonly logger: Logger;
  /** Called once, when all workers are ready, with the report of the first one. */
  readonly onReady: (report: string) => void;
}

/**
 * Runs this program as `count` workers until the signal aborts. The workers must call `runProgram`
 * and `reportReady`. All of them have ended when this settles.
 *
 * A worker that dies is replaced after a pause, which grows with each consecutive death. One that
 * does not respond is killed first. This rejects if a worker ends before it is ready at the first
 * start.
 */
export async function superviseWorkers(options: WorkersOptions): Promise<void> {
  const workers = new Workers(options);
  const killAll = () => workers.kill();
  process.once("exit", killAll);
  try {
    // One worker first, so that an error that all of them have is reported once.
    const report = await workers.start();
    await Promise.all(Array.from({ length: options.count - 1 }, () => workers.start()));
    options.onReady(report);
    if (!options.signal.aborted) await once(options.signal, "abort");
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    await workers.stop();
    process.off("exit", killAll);
  }
}

const hangTimeoutMsDefault = 10_000;
const restartPauseMsDefault = 100;
const restartPauseMaxMs = 30_000;
/** A worker that has been ready for this time ends a series of consecutive deaths. */
const steadyMs = 60_000;

class Workers {
  readonly #options: WorkersOptions;
  readonly #running = new Set<RunningWorker>();
  readonly #ready = new Set<RunningWorker>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  /** Lengthens the pauses. */
  #deathsInARow = 0;
  #isStopping = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /** Starts a worker. Resolves to its report when it is ready; rejects if it ends before. */
  async start(): Promise<string> {
    const { signal, environment, hangTimeoutMs = hangTimeoutMsDefault, logger } = this.#options;
    signal.throwIfAborted();
    const onHang = (worker: RunningWorker) => {
      const { processId: workerProcessId } = worker;
      logger.error({ workerProcessId, hangTimeoutMs }, "killing a worker that does not respond");
      worker.kill();
    };
    const worker = forkWorker({ environment, hangTimeoutMs, onHang });
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
    const { reason } = this.#options.signal;
    const signalName = reason instanceof Stopped ? reason.signalName : "SIGINT";
    for (const worker of this.#running) worker.stop(signalName);
    const tooLate = setTimeout(() => {
      this.#options.logger.warn("killing the workers that did not end in time");
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
    logger.error({ ...how, restartInMs }, "a worker died");
    const restart = setTimeout(() => {
      this.#restarts.delete(restart);
      this.start().then(
        // `warn`, not `info`: logs that show the death should also show the replacement.
        () => logger.warn("a worker has replaced one that died"),
        (error) => this.#onDeath({ reason: errorText(error) }),
      );
    }, restartInMs);
    this.#restarts.add(restart);
  }
}
