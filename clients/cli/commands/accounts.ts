/** `stowage accounts`: who may sign in at the authorisation service. */
import { Command } from "commander";
import { runProgram } from "../programs/run-program.ts";
import { passedThrough } from "./passed-through.ts";

/** The command, for `main.ts`. */
export function accountsCommand(): Command {
  const command = new Command("accounts")
    .enablePositionalOptions()
    .helpCommand(false)
    .description("Adds, lists and removes the accounts of people who sign in.");
  for (const [name, description] of Object.entries(parts)) {
    const part = passedThrough(name, description);
    command.addCommand(
      part.action((parameters: string[]) => runProgram("accounts", [name, ...parameters])),
    );
  }
  return command.addHelpText("after", help);
}

const parts = {
  add: "adds an account; asks for its password, or reads it from a file",
  list: "lists the accounts by login name",
  remove: "removes an account, ends its sessions, and takes back its tokens",
  "set-password": "sets a new password, and signs the person out everywhere",
};

const help = `
It writes to the database that DATABASE_URL or DATA_DIR names; each command's own --help says more.

Example:
  stowage accounts add --organisation acme --login-name ada@example.com --name "Ada Lovelace"
`;
