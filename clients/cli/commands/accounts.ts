/** `stowage accounts`: who may sign in at the authorisation service. */
import type { Command } from "commander";
import { programCommand } from "./program-command.ts";

/** The command, for `main.ts`. */
export function accountsCommand(): Command {
  return programCommand({
    name: "accounts",
    description: "Adds, lists and removes the accounts of people who sign in.",
    parts: {
      add: "adds an account; asks for its password, or reads it from a file",
      list: "lists the accounts by login name",
      remove: "removes an account, ends its sessions, and takes back its tokens",
      "sign-out": "ends an account's sessions, and takes back its tokens",
      "set-password": "sets a new password, and signs the person out everywhere",
    },
    example:
      "stowage accounts add --organisation acme --login-name ada@example.com " +
      '--name "Ada Lovelace"',
  });
}
