/** `stowage clients`: who may ask the authorisation service for tokens. */
import { Command } from "commander";
import { runProgram } from "../programs/run-program.ts";
import { passedThrough } from "./passed-through.ts";

/** The command, for `main.ts`. */
export function clientsCommand(): Command {
  const command = new Command("clients")
    .enablePositionalOptions()
    .helpCommand(false)
    .description("Adds, lists and removes the clients that may ask for access tokens.");
  for (const [name, description] of Object.entries(parts)) {
    const part = passedThrough(name, description);
    command.addCommand(
      part.action((parameters: string[]) => runProgram("clients", [name, ...parameters])),
    );
  }
  return command.addHelpText("after", help);
}

const parts = {
  add: "registers a client and prints its id and, this once, its secret",
  list: "lists the clients, oldest first",
  remove: "removes a client: it gets no more tokens",
};

const help = `
It writes to the database that DATABASE_URL or DATA_DIR names; each command's own --help says more.

Example:
  stowage clients add --organisation acme --name "nightly report"
`;
