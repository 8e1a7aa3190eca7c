/** What a program does when it is a worker. */
import cluster from "node:cluster";
import { stopMessage, type WorkerMessage } from "./messages.ts";

/** Whether `superviseWorkers` started this process. */
export function isWorker(): boolean {
  return cluster.isWorker;
}

/** Tells the primary that this worker serves. */
export function reportReady(report: string): void {
  process.send?.({ ready: report } satisfies WorkerMessage);
}

/** Calls `onStop` when this is a worker and its primary wants it to end. */
export function listenToPrimary(onStop: () => void): void {
  if (!isWorker()) return;
  process.on("message", (message) => {
    if (message === stopMessage) onStop();
  });
}
