/** `stowage keys`: the keys that sign tokens. */
import type { Command } from "commander";
import { programCommand } from "./program-command.ts";

/** The command, for `main.ts`. */
export function keysCommand(): Command {
  return programCommand({
    name: "keys",
    description: "Changes the keys that sign tokens, while the services run.",
    parts: {
      list: "lists the keys, oldest first, and what each of them does",
      rotate: "publishes a new key, signs with it soon, and lets go of the old one in the end",
      withdraw: "takes a key back at once, and all tokens that it signed",
    },
    example: "stowage keys rotate",
  });
}
