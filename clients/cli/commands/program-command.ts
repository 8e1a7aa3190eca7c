import { Command } from "commander";
import type { ProgramName } from "../programs/entry-points.ts";
import { runProgram } from "../programs/run-program.ts";
import type { StartOptions } from "../programs/start-program.ts";
import { passedThrough } from "./passed-through.ts";

/** A command whose parts are those of one of our programs, which has the same name. */
export function programCommand(options: {
  readonly name: ProgramName;
  readonly description: string;
  /** The name of each part, and what it does. */
  readonly parts: Readonly<Record<string, string>>;
  /** A command line that somebody may want. */
  readonly example: string;
  /** What the program is told beside this process's own environment. */
  readonly environment?: () => Promise<NonNullable<StartOptions["environment"]>>;
}): Command {
  const { name, description, parts, example, environment = async () => ({}) } = options;
  const command = new Command(name)
    .enablePositionalOptions()
    .helpCommand(false)
    .description(description);
  for (const [partName, partDescription] of Object.entries(parts)) {
    const part = passedThrough(partName, partDescription);
    command.addCommand(
      part.action(async (parameters: string[]) =>
        runProgram(name, [partName, ...parameters], { environment: await environment() }),
      ),
    );
  }
  return command.addHelpText("after", helpOf(example));
}

function helpOf(example: string): string {
  return `
It writes to the database that DATABASE_URL or DATA_DIR names; each command's own --help says more.

Example:
  ${example}
`;
}
