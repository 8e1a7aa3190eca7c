import { errorText } from "./error-text.ts";
import { SettingsError } from "./settings.ts";

export interface ProgramContext {
  /** Aborts when the program is asked to end: stop listening, finish what runs, return. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program's `main` and ends the process with an exit code that says how it went:
 * 0 when `main` returned, 2 for wrong settings, 130 or 143 when a signal cut it short, else 1.
 *
 * The first SIGINT or SIGTERM aborts `signal`, the second ends the process at once. An error is told on
 * stderr in one line; with LOG_LEVEL `debug` or `trace` its stack follows.
 */
export async function runProgram(
  name: string,
  main: (context: ProgramContext) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  let stopCode = 0;
  for (const [signalName, exitCode] of exitCodes) {
    process.on(signalName, () => {
      if (stop.signal.aborted) process.exit(exitCode);
      stopCode = exitCode;
      stop.abort(new DOMException(`stopped by ${signalName}`, "AbortError"));
    });
  }
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error: unknown) => process.exit(report(name, error)));
  }

  try {
    await main({ signal: stop.signal });
  } catch (error) {
    const wasStopped = stop.signal.aborted && isAbort(error, stop.signal);
    process.exit(wasStopped ? stopCode : report(name, error));
  }
  process.exit(0);
}

const exitCodes = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

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
