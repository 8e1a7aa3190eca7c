/** What holds for all commands: exit codes, and what people see when something fails. */
import { constants } from "node:os";
import type { Command } from "commander";
import { escapeControls } from "./output/escape-controls.ts";

/** Wrong usage: the command line, or a setting, is not understood. */
const wrongUsage = 2;

/**
 * Ends the process with exit code 2 on wrong usage, 0 after showing help. A copy of the function in
 * `@stowage/process`, which clients may not import.
 */
export function exitOnWrongUsage(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : wrongUsage));
  for (const part of command.commands) exitOnWrongUsage(part);
}

/** When nobody reads our output any more (`| head`), ends like any program whose pipe closes. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(128 + constants.signals.SIGPIPE);
  });
}

/** Tells on stderr, in one line, what went wrong; the exit code will be 1. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`stowage: ${escapeControls(messageOf(error))}\n`);
  process.exitCode = 1;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : messageOf(error.cause);
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
  // Wrapping errors often repeat the message of their cause.
  return cause === "" || own.includes(cause) ? own : `${own}: ${cause}`;
}
