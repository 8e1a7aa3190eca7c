/** `stowage clients`: who may ask the authorisation service for tokens. */
import type { Command } from "commander";
import { programCommand } from "./program-command.ts";

/** The command, for `main.ts`. */
export function clientsCommand(): Command {
  return programCommand({
    name: "clients",
    description: "Adds, lists and removes the clients that may ask for access tokens.",
    parts: {
      add: "registers a client and prints its id and, this once, its secret",
      list: "lists the clients, oldest first",
      remove: "removes a client: it gets no more tokens",
    },
    example: 'stowage clients add --organisation acme --name "nightly report"',
  });
}
