/** Exit codes, output and error messages of all commands. */
import { once } from "node:events";
import { constants } from "node:os";
import { checkUsage, printable } from "@stowage/process/usage";
import type { Command } from "commander";

/** Ends the process with exit code 2 on wrong usage, after a line on stderr. */
export function exitOnWrongUsage(command: Command): void {
  checkUsage(command, {
    writeError: (text) => process.stderr.write(text),
    requireWritten: () => {
      if (process.stdout.errored) endUnwritten(process.stdout.errored);
    },
  });
}

/**
 * Ends the process when its output cannot be written: as SIGPIPE would if the reader has closed it
 * (`| head`), else with an error, for example if the disk is full.
 */
export function endWithOutput(): void {
  process.stdout.on("error", endUnwritten);
}

function endUnwritten(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(128 + constants.signals.SIGPIPE);
  reportFailure(new Error("Cannot write the output", { cause: error }));
  process.exit();
}

/** What the user typed is wrong, as only the command itself or a service can tell. */
export class WrongUsageError extends Error {}

/** Writes an error to stderr in one line, and sets the exit code: 2 for wrong usage, else 1. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`stowage: ${printable(messageOf(error))}\n`);
  process.exitCode = error instanceof WrongUsageError ? 2 : 1;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : messageOf(error.cause);
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
  // Wrapping errors often repeat the message of their cause.
  return cause === "" || own.includes(cause) ? own : `${own}: ${cause}`;
}

/** Writes to stdout no faster than it is read, so a long list does not fill the memory. */
export async function write(text: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
