/**
 * Help texts, wrong usage, printed text and the end of npm, alike for all commands. Clients import
 * this file alone, so it must load nothing else of the library.
 */
import { type Command, Help, type Option } from "commander";
import { printable, printText } from "../printable.ts";
import { whenNpmEnds } from "./end-with-npm.ts";
import { helpWidth, wrapHelp } from "./wrap-help.ts";

export { printable, printText, whenNpmEnds };

interface UsageOutput {
  readonly writeError: (text: string) => void;
  /** Throws, or ends the process, if what was written to stdout has failed. */
  readonly requireWritten: () => void;
}

const wrongUsage = 2;

/**
 * Ends the process with exit code 2 on wrong usage of the command or of those under it, after a
 * line with `writeError`; with 0 after showing help, which marks required options.
 */
export function checkUsage(command: Command, output: UsageOutput): void {
  const { writeError, requireWritten } = output;
  command
    .configureHelp({ optionDescription })
    .configureOutput({
      getOutHelpWidth: () => helpWidth(process.stdout),
      getErrHelpWidth: () => helpWidth(process.stderr),
      writeOut: (text) => process.stdout.write(wrapHelp(text, helpWidth(process.stdout))),
      writeErr: (text) => writeError(wrapHelp(text, helpWidth(process.stderr))),
      outputError: (text) => writeError(usageText(text, command)),
    })
    .exitOverride(({ exitCode, code }) => {
      // The event "error" of stdout comes too late for a process that exits right after its output.
      requireWritten();
      // Then only the help was shown.
      const isMissing = exitCode !== 0 && code === "commander.help";
      if (isMissing) writeError(`stowage: ${missingText(command)}\n`);
      process.exit(exitCode === 0 ? 0 : wrongUsage);
    });
  for (const part of command.commands) checkUsage(part, output);
}

function optionDescription(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}

/** The text may end with a full stop, or with a guess in a line of its own. */
function usageText(text: string, command: Command): string {
  const line = text
    .trimEnd()
    .replace(/^error: |\.$/g, "")
    .replace(/\n(?=\(Did you mean )/, " ");
  return `stowage: ${printable(line)}; see ${commandPath(command)} --help\n`;
}

function missingText({ args: [help, name] }: Command): string {
  const isHelp = help === "help" && name !== undefined;
  return isHelp ? `there is no command ${printable(name)}` : "need one of the commands above";
}

/** Adds command lines to the help of a command. */
export function addExamples(command: Command, examples: readonly string[]): void {
  if (examples.length === 0) return;
  command.addHelpText("after", `Examples:\n  ${examples.join("\n  ")}\n`);
}

/** As it was typed: `stowage clients secrets remove`. */
export function commandPath(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${commandPath(parent)} ${command.name()}`;
}
