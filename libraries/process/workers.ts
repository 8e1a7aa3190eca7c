/**
 * Several processes of one program that listen on one port: a primary, and workers that it restarts
 * when they die.
 *
 * Each worker listens itself, and the kernel distributes the connections (SO_REUSEPORT). A primary
 * that accepts and passes on connections, as in node:cluster, distributes them more evenly. But a
 * connection that it passes to a worker that has just died would hang for ever.
 */
import cluster from "node:cluster";
import type { Logger } from "./logger.ts";
import { Stopped } from "./stop-signal.ts";
import { untilAborted } from "./until-aborted.ts";

export interface WorkersOptions {
  readonly count: number;
  /** Added to the environment of the workers. */
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts when all workers must end. */
  readonly signal: AbortSignal;
  /** A worker that has not ended after this time is killed. */
  readonly stopTimeoutMs: number;
  /** The pause before a restart; it doubles with each consecutive death. Default 100. */
  readonly restartPauseMs?: number;
  readonly logger: Logger;
  /** Called once, when all workers are ready, with the report of the first one. */
  readonly onReady: (report: string) => void;
}

/**
 * Runs this program as `count` workers until the signal aborts. The workers must call `runProgram`
 * and `reportReady`. All of them have ended when this settles.
 *
 * A worker that dies is replaced after a pause, which grows with each consecutive death. This
 * rejects if a worker ends before it is ready at the first start, and later if no worker is ready
 * and ten have died in a row.
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
/** A worker that has been ready for this time ends a series of consecutive deaths. */
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
    // Avoids an unhandled rejection while nothing awaits it.
    this.failed.catch(() => undefined);
  }

  /** Rejects when workers cannot be kept running. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Starts a worker. Resolves to its report when it is ready; rejects if it ends before. */
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
    if (this.#ready.size === 0 && this.#deathsInARow >= deathsMax) {
      const message = `Cannot keep a worker running: ${this.#deathsInARow} ended in a row`;
      this.#failure.reject(new Error(message));
      return;
    }
    logger.error({ ...how, restartInMs }, "a worker died");
    const restart = setTimeout(() => {
      this.#restarts.delete(restart);
      this.start().then(
        () => logger.info("a worker has replaced one that died"),
        (error: Error) => this.#onDeath({ reason: error.message }),
      );
    }, restartInMs);
    this.#restarts.add(restart);
  }
}

/** How a worker ended: with an exit code or by a signal. */
interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface RunningWorker {
  readonly processId: number | undefined;
  /** Resolves to its report when it is ready. Rejects if it ends before. */
  readonly ready: Promise<string>;
  readonly ended: Promise<WorkerEnd>;
  /** Asks it to end gracefully, as the signal would. */
  stop(signalName: NodeJS.Signals): void;
  kill(): void;
}

/** Starts this program again, as a worker. */
function forkWorker(environment: Readonly<Record<string, string>>): RunningWorker {
  const worker = cluster.fork(environment);
  const ended = Promise.withResolvers<WorkerEnd>();
  const ready = Promise.withResolvers<string>();
  // Avoids an unhandled rejection if nothing awaits it.
  ready.promise.catch(() => undefined);
  worker.on("message", ({ ready: report }: Partial<Ready>) => {
    if (report !== undefined) ready.resolve(report);
  });
  worker.once("exit", (exitCode: number | null, signal: string | null) => {
    ready.reject(new Error(`Cannot start a worker: it ended with ${signal ?? exitCode}`));
    ended.resolve({ exitCode, signal });
  });
  return {
    processId: worker.process.pid,
    ready: ready.promise,
    ended: ended.promise,
    stop(signalName) {
      // A worker whose channel is closed is about to end.
      if (worker.isConnected()) worker.send({ stop: signalName } satisfies Stop, () => undefined);
    },
    kill: () => void worker.process.kill("SIGKILL"),
  };
}

/** Whether `superviseWorkers` started this process. */
export function isWorker(): boolean {
  return cluster.isWorker;
}

/** Tells the primary that this worker accepts requests. */
export function reportReady(report: string): void {
  process.send?.({ ready: report } satisfies Ready);
}

/** In a worker: calls `onStop` when the primary asks it to end. */
export function listenToPrimary(onStop: (signalName: NodeJS.Signals) => void): void {
  if (!isWorker()) return;
  process.on("message", ({ stop }: Partial<Stop>) => {
    if (stop !== undefined) onStop(stop);
  });
}

/** Of a worker: it accepts requests from now on; the text is its report. */
interface Ready {
  readonly ready: string;
}

/** Of the primary: end gracefully, as after this signal of its own. */
interface Stop {
  readonly stop: NodeJS.Signals;
}
