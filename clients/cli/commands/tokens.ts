/** `stowage tokens`: takes tokens back. */
import { Command } from "commander";
import { runProgram } from "../programs/run-program.ts";
import { passedThrough } from "./passed-through.ts";

/** The command, for `main.ts`. */
export function tokensCommand(): Command {
  const revoke = passedThrough(
    "revoke",
    "revokes a token, all tokens of a session or a key, or older ones of a subject",
  );
  return new Command("tokens")
    .enablePositionalOptions()
    .helpCommand(false)
    .description("Takes tokens back before they expire.")
    .addCommand(
      revoke.action((parameters: string[]) => runProgram("tokens", ["revoke", ...parameters])),
    )
    .addHelpText("after", help);
}

const help = `
It writes to the database that DATABASE_URL or DATA_DIR names; the command's own --help says more.

Example:
  stowage tokens revoke --jti 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f
`;
