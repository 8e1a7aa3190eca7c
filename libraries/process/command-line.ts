/** What a program does with a command line it does not understand. */
import type { Command } from "commander";

const wrongUsage = 2;

/** Ends the process with exit code 2 on wrong usage, 0 after showing help. */
export function exitOnWrongUsage(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : wrongUsage));
  for (const part of command.commands) exitOnWrongUsage(part);
}
