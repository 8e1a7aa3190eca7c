import { constants } from "node:os";
import { errorText } from "./error-text.ts";
import { SettingsError } from "./settings.ts";
import { isWorker, listenToPrimary } from "./workers/worker.ts";

export interface ProgramContext {
  /** Aborts when the program is asked to end: stop listening, finish what runs, return. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program's `main` and ends the process with an exit code that says how it went: 0 when
 * `main` returned, 2 for wrong settings, 128 and the signal's number when a signal cut it short,
 * else 1.
 *
 * The first SIGINT, SIGTERM or SIGHUP aborts `signal`, the next ends the process at once. When
 * nobody reads stdout any more, that counts as SIGPIPE. A worker of `superviseWorkers` hears of all
 * that from its primary alone. An error is told on stderr in one line;
 * with LOG_LEVEL `debug` or `trace` its stack follows.
 */
export async function runProgram(
  name: string,
  main: (context: ProgramContext) => Promise<void>,
): Promise<void> {
  const stopping = listenForStop();
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error: unknown) => process.exit(report(name, error)));
  }
  try {
    await main({ signal: stopping.signal });
  } catch (error) {
    const wasStopped = stopping.signal.aborted && isAbort(error, stopping.signal);
    process.exit(wasStopped ? stopping.exitCode() : report(name, error));
  }
  process.exit(process.exitCode ?? 0);
}

function listenForStop(): { signal: AbortSignal; exitCode: () => number } {
  const controller = new AbortController();
  let exitCode = 0;
  function stop(signalName: NodeJS.Signals): void {
    exitCode = 128 + constants.signals[signalName];
    controller.abort(new DOMException(`stopped by ${signalName}`, "AbortError"));
  }
  for (const signalName of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signalName, () => {
      // A terminal sends them to a worker as well; they are the primary's to pass on.
      if (isWorker()) return;
      if (controller.signal.aborted) process.exit(128 + constants.signals[signalName]);
      stop(signalName);
    });
  }
  listenToPrimary(() => stop("SIGTERM"));
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (!controller.signal.aborted) stop("SIGPIPE");
  });
  return { signal: controller.signal, exitCode: () => exitCode };
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}

function report(name: string, error: unknown): 1 | 2 {
  process.stderr.write(`${name}: ${errorText(error)}\n`);
  // Read here and not from the settings: they may be what is wrong.
  const level = process.env.LOG_LEVEL;
  if ((level === "debug" || level === "trace") && error instanceof Error) {
    process.stderr.write(`${error.stack}\n`);
  }
  return error instanceof SettingsError ? 2 : 1;
}
