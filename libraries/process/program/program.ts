import { constants } from "node:os";
import type { Command } from "commander";
import { errorText, hasLines } from "../error-text.ts";
import { writeToStderr } from "../logger.ts";
import { printable, printableLines } from "../printable.ts";
import { SettingsError } from "../settings/settings.ts";
import { Stopped } from "../workers/stop-signal.ts";
import { isWorker, listenToPrimary, WorkerFailed } from "../workers/worker-process.ts";
import { whenNpmEnds } from "./end-with-npm.ts";
import { checkUsage } from "./usage.ts";

export interface ProgramContext {
  /** Aborts when the program must end: `main` then stops listening, finishes and returns. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program's `main` and then ends the process. The exit code is 0 when `main` returned, 2 for
 * wrong settings, 128 plus the signal's number when a signal stopped it, else 1.
 *
 * The first SIGINT, SIGTERM or SIGHUP aborts `signal`; the next one ends the process at once,
 * unless it is the same one within half a second. A closed stdout counts as SIGPIPE, and the end of
 * an npm that started the program as SIGTERM. Output that cannot be written aborts `signal` as
 * well. A worker of `superviseWorkers` ignores these signals and stops when its primary tells it
 * to. An error is written to stderr in one line; with LOG_LEVEL `debug` or `trace` its stack
 * follows.
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
    throwUnlessWritten();
  } catch (error) {
    const { signal } = stopping;
    const cause = signal.aborted && isAbort(error, signal) ? signal.reason : error;
    process.exit(cause instanceof Stopped ? stopping.exitCode() : report(name, cause));
  }
  process.exit(process.exitCode ?? 0);
}

/** npm forwards the Ctrl-C that the terminal has already sent: both are the same key press. */
const sameSignalMs = 500;

function listenForStop(): { signal: AbortSignal; exitCode: () => number } {
  const controller = new AbortController();
  let exitCode = 0;
  function stop(signalName: NodeJS.Signals): void {
    exitCode = 128 + constants.signals[signalName];
    controller.abort(new Stopped(signalName));
  }
  for (const signalName of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    let receivedAtMs = Number.NEGATIVE_INFINITY;
    process.on(signalName, () => {
      // A terminal also signals the workers, but their primary tells them when to stop.
      if (isWorker() || performance.now() - receivedAtMs < sameSignalMs) return;
      receivedAtMs = performance.now();
      if (controller.signal.aborted) process.exit(128 + constants.signals[signalName]);
      stop(signalName);
    });
  }
  listenToPrimary(stop);
  // Ctrl-C may end npm first, and must count once.
  if (!isWorker()) whenNpmEnds(() => controller.signal.aborted || stop("SIGTERM"));
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (controller.signal.aborted) return;
    if (error.code === "EPIPE") stop("SIGPIPE");
    else controller.abort(unwritten(error));
  });
  return { signal: controller.signal, exitCode: () => exitCode };
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}

function report(name: string, error: unknown): number {
  // The worker has already reported the reason.
  if (error instanceof WorkerFailed) return error.exitCode;
  const escapeText = hasLines(error) ? printableLines : printable;
  writeToStderr(`${name}: ${escapeText(errorText(error))}\n`);
  // Read from the environment, since the settings themselves may be wrong.
  const level = process.env.LOG_LEVEL;
  if ((level === "debug" || level === "trace") && error instanceof Error) {
    writeToStderr(`${printableLines(error.stack ?? "")}\n`);
  }
  return error instanceof SettingsError ? 2 : 1;
}

/**
 * Ends the process with exit code 2 on wrong usage, after a line on stderr; with 0 after showing
 * help. If help cannot be written, parsing throws.
 */
export function exitOnWrongUsage(command: Command): void {
  checkUsage(command, { writeError: writeToStderr, requireWritten: throwUnlessWritten });
}

/** The event "error" of stdout comes too late for a process that exits right after its output. */
function throwUnlessWritten(): void {
  const error: NodeJS.ErrnoException | null = process.stdout.errored;
  // A reader that has left wants no more.
  if (error !== null && error.code !== "EPIPE") throw unwritten(error);
}

function unwritten(cause: Error): Error {
  return new Error("Cannot write the output", { cause });
}
