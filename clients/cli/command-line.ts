/** Exit codes, output and error messages of all commands. */

import { once } from "node:events";
import { constants } from "node:os";
import type { Command } from "commander";
import { escapeControls } from "./output/format.ts";
import { helpWidth, wrapHelp } from "./output/wrap-help.ts";

/** The exit code for a wrong command line or setting. */
const wrongUsage = 2;

/**
 * Ends the process with exit code 2 on wrong usage, after a line on stderr; with 0 after showing
 * help. A copy of the function in `@stowage/process`, which clients may not import.
 */
export function exitOnWrongUsage(command: Command): void {
  command
    .configureOutput({
      getOutHelpWidth: () => helpWidth(process.stdout),
      getErrHelpWidth: () => helpWidth(process.stderr),
      writeOut: (text) => process.stdout.write(wrapHelp(text, helpWidth(process.stdout))),
      writeErr: (text) => process.stderr.write(wrapHelp(text, helpWidth(process.stderr))),
      outputError: (text) => process.stderr.write(usageText(text, command)),
    })
    .exitOverride(({ exitCode, code }) => {
      // The event "error" of stdout would come too late.
      if (process.stdout.errored) endUnwritten(process.stdout.errored);
      // Then only the help was shown.
      const isMissing = exitCode !== 0 && code === "commander.help";
      if (isMissing) process.stderr.write(`stowage: ${missingText(command)}\n`);
      process.exit(exitCode === 0 ? 0 : wrongUsage);
    });
  for (const part of command.commands) exitOnWrongUsage(part);
}

/** The text may end with a full stop, or with a guess in a line of its own. */
function usageText(text: string, command: Command): string {
  const line = text
    .trimEnd()
    .replace(/^error: |\.$/g, "")
    .replace("\n", " ");
  return `stowage: ${escapeControls(line)}; see ${commandPath(command)} --help\n`;
}

function commandPath(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${commandPath(parent)} ${command.name()}`;
}

function missingText({ args: [help, name] }: Command): string {
  const isHelp = help === "help" && name !== undefined;
  return isHelp ? `there is no command ${escapeControls(name)}` : "need one of the commands above";
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

/** Writes an error to stderr in one line, and sets the exit code 1. */
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

/** Writes to stdout no faster than it is read, so a long list does not fill the memory. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
