/** Restarts an embedded server that has died while programs use it. */
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../error-text.ts";
import type { Logger } from "../../logger.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { isRunning, readPostmaster } from "./postmaster.ts";

interface KeepRunningOptions {
  readonly cluster: Cluster;
  /** The port that the programs know. */
  readonly port: number;
  /** Runs an action with the database's lock held. */
  readonly withLock: <T>(action: () => Promise<T>) => Promise<T>;
  readonly logger: Logger;
}

/** A program notices the death of the server within this time. */
const pollMs = 250;
/** The pause before the second restart in a row; it doubles with each further one. */
const restartPauseMs = 500;
const restartPauseMsMax = 30_000;
/** A server that has run for this time ends a series of deaths. */
const steadyMs = 10_000;

/**
 * Looks regularly whether the server runs, and restarts it on the same port if it does not, until
 * the returned function is called. All programs that use the server do this: the first to get the
 * lock restarts it, and the others then find it running.
 *
 * Each death is logged. The first restart in a row follows at once, later ones after a pause.
 */
export function keepRunning(options: KeepRunningOptions): () => Promise<void> {
  const stopping = new AbortController();
  const watching = watch(options, stopping.signal);
  return async () => {
    stopping.abort();
    await watching;
  };
}

async function watch(options: KeepRunningOptions, signal: AbortSignal): Promise<void> {
  const { cluster, logger } = options;
  let known = await runningProcess(cluster).catch(() => undefined);
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let deathsInARow = 0;
  while (await pause(pollMs, signal)) {
    // If this cannot be read, for example for lack of file handles, the server may well run.
    const running = await runningProcess(cluster).catch(() => known);
    if (running !== undefined && running === known) continue;
    deathsInARow = performance.now() - startedAtMs < steadyMs ? deathsInARow + 1 : 0;
    known = running;
    if (running === undefined) {
      const restartInMs = pauseMsAfter(deathsInARow);
      logger.error({ restartInMs }, "the embedded database died");
      if (await pause(restartInMs, signal)) known = await restart(options, signal);
    } else {
      // This counts as a death too, so that all programs pause equally long.
      logger.error("the embedded database died; another program has restarted it");
    }
    startedAtMs = performance.now();
  }
}

/** Returns the new server's process ID; undefined if it did not start or is no longer needed. */
async function restart(
  { cluster, port, withLock, logger }: KeepRunningOptions,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return await withLock(async () => {
      if (signal.aborted) return undefined;
      await startCluster(cluster, { port, attemptsMax: 1 });
      // `warn`, not `info`: logs that show the death should also show the restart.
      logger.warn({ port }, "the embedded database is running again");
      return await runningProcess(cluster);
    });
  } catch (error) {
    logger.error({ reason: errorText(error) }, "cannot restart the embedded database");
    return undefined;
  }
}

function pauseMsAfter(deathsInARow: number): number {
  if (deathsInARow === 0) return 0;
  return Math.min(restartPauseMsMax, restartPauseMs * 2 ** (deathsInARow - 1));
}

async function runningProcess({ folder }: Cluster): Promise<number | undefined> {
  const found = await readPostmaster(folder);
  return found && (await isRunning(found, folder)) ? found.processId : undefined;
}

/** Returns false at once when the signal aborts. Does not keep the process running. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  return !signal.aborted;
}
