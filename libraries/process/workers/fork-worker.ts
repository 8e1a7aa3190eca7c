import cluster from "node:cluster";
import { stopMessage, type WorkerMessage } from "./messages.ts";

/** How a worker ended: by an exit code of its own, or by a signal. */
export interface WorkerEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface RunningWorker {
  readonly processId: number | undefined;
  /** What it reports when it is ready. Rejects when it ends before. */
  readonly ready: Promise<string>;
  readonly ended: Promise<WorkerEnd>;
  /** Asks it to end in order. */
  stop(): void;
  kill(): void;
}

/** Starts this very program once more, as a worker. */
export function forkWorker(environment: Readonly<Record<string, string>>): RunningWorker {
  const worker = cluster.fork(environment);
  const ended = Promise.withResolvers<WorkerEnd>();
  const ready = Promise.withResolvers<string>();
  // Nobody need be waiting.
  ready.promise.catch(() => undefined);
  worker.on("message", ({ ready: report }: Partial<WorkerMessage>) => {
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
    stop() {
      // One whose channel is closed is about to end.
      if (worker.isConnected()) worker.send(stopMessage, () => undefined);
    },
    kill: () => void worker.process.kill("SIGKILL"),
  };
}
