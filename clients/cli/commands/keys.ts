/** `stowage keys`: the keys that sign tokens. */
import { Command } from "commander";
import { runProgram } from "../programs/run-program.ts";
import { passedThrough } from "./passed-through.ts";

/** The command, for `main.ts`. */
export function keysCommand(): Command {
  const command = new Command("keys")
    .enablePositionalOptions()
    .helpCommand(false)
    .description("Changes the keys that sign tokens, while the services run.");
  for (const [name, description] of Object.entries(parts)) {
    const part = passedThrough(name, description);
    command.addCommand(
      part.action((parameters: string[]) => runProgram("keys", [name, ...parameters])),
    );
  }
  return command.addHelpText("after", help);
}

const parts = {
  list: "lists the keys, oldest first, and what each of them does",
  rotate: "publishes a new key, signs with it soon, and lets go of the old one in the end",
  withdraw: "takes a key back at once, and all tokens that it signed",
};

const help = `
It writes to the database that DATABASE_URL or DATA_DIR names; each command's own --help says more.

Example:
  stowage keys rotate
`;
