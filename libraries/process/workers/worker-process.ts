/** The two ends of the channel between a primary and a worker, and their messages. */
import cluster, { type Worker } from "node:cluster";

/** How a worker ended: with an exit code or by a signal. */
export interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface RunningWorker {
  readonly processId: number | undefined;
  /** Resolves to its report when it is ready. Rejects if it ends before. */
  readonly ready: Promise<string>;
  readonly ended: Promise<WorkerEnd>;
  /** Asks it to end gracefully, as the signal would. */
  stop(signalName: NodeJS.Signals): void;
  kill(): void;
}

/** A worker ended before it was ready. It has reported the reason itself. */
export class WorkerFailed extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`Cannot start a worker: it ended with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

interface ForkOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly hangTimeoutMs: number;
  /** Called when the worker has not answered for that time. */
  readonly onHang: (worker: RunningWorker) => void;
}

/** Starts this program again, as a worker. */
export function forkWorker({ environment, hangTimeoutMs, onHang }: ForkOptions): RunningWorker {
  const worker = cluster.fork(environment);
  const ended = Promise.withResolvers<WorkerEnd>();
  const ready = Promise.withResolvers<string>();
  // Avoids an unhandled rejection if nothing awaits it.
  ready.promise.catch(() => undefined);
  worker.on("message", ({ ready: report }: Partial<Ready>) => {
    if (report !== undefined) ready.resolve(report);
  });
  worker.once("exit", (exitCode: number | null, signal: string | null) => {
    const failure = exitCode ? new WorkerFailed(exitCode) : undefined;
    ready.reject(failure ?? new Error(`Cannot start a worker: it ended with ${signal ?? 0}`));
    ended.resolve({ exitCode, signal });
  });
  // Without a listener, an error would end the primary.
  worker.on("error", (cause: Error) => {
    // If the system has started no process, for example for lack of file handles, none will exit.
    if (worker.process.pid !== undefined) return;
    delete cluster.workers?.[worker.id];
    ready.reject(new Error("Cannot start a worker", { cause }));
    ended.resolve({ exitCode: null, signal: null });
  });
  const running: RunningWorker = {
    processId: worker.process.pid,
    ready: ready.promise,
    ended: ended.promise,
    stop: (signalName) => send(worker, { stop: signalName }),
    kill: () => void worker.process.kill("SIGKILL"),
  };
  const stopWatching = watchHeartbeat(worker, hangTimeoutMs, () => onHang(running));
  void running.ended.then(stopWatching);
  return running;
}

/** After this many unanswered heartbeats, a worker counts as hanging. */
const heartbeatsMax = 10;
/** A worker that starts has much to load, so it may leave this many more heartbeats unanswered. */
const startingHeartbeats = 50;

/**
 * Sends heartbeats, which a worker answers as long as its event loop runs. They are counted, not
 * milliseconds: if this process was suspended itself, or the whole machine, no worker hangs.
 */
function watchHeartbeat(worker: Worker, hangTimeoutMs: number, onHang: () => void): () => void {
  let unanswered = -startingHeartbeats;
  worker.on("message", ({ heartbeat }: Partial<Heartbeat>) => {
    if (heartbeat) unanswered = 0;
  });
  const timer = setInterval(() => {
    send(worker, { heartbeat: true });
    unanswered += 1;
    if (unanswered > heartbeatsMax) onHang();
  }, hangTimeoutMs / heartbeatsMax);
  return () => clearInterval(timer);
}

function send(worker: Worker, message: Stop | Heartbeat): void {
  // A worker whose channel is closed is about to end.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Whether `superviseWorkers` started this process. */
export function isWorker(): boolean {
  return cluster.isWorker;
}

/** Tells the primary that this worker accepts requests. */
export function reportReady(report: string): void {
  process.send?.({ ready: report } satisfies Ready);
}

/** In a worker: answers heartbeats, and calls `onStop` when the primary asks it to end. */
export function listenToPrimary(onStop: (signalName: NodeJS.Signals) => void): void {
  if (!isWorker()) return;
  process.on("message", ({ stop, heartbeat }: Partial<Stop & Heartbeat>) => {
    if (stop !== undefined) onStop(stop);
    const answer: Heartbeat = { heartbeat: true };
    // The primary may have ended meanwhile.
    if (heartbeat) process.send?.(answer, undefined, undefined, () => undefined);
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

/** Of the primary, and the worker's answer. */
interface Heartbeat {
  readonly heartbeat: true;
}
