/** `stowage serve`: the services, each in a process of its own. */
import { Command } from "commander";
import { runProgram } from "../programs/run-program.ts";
import { passedThrough } from "./passed-through.ts";

/** The command, for `main.ts`. */
export function serveCommand(): Command {
  const uploads = passedThrough("uploads", "the uploads service: lists and trees of buckets");
  const authorisation = passedThrough("authorisation", "the authorisation service: access tokens");
  return new Command("serve")
    .enablePositionalOptions()
    .helpCommand(false)
    .description("Starts a service and runs it until Ctrl-C or SIGTERM.")
    .addCommand(uploads.action((parameters: string[]) => runProgram("uploads", parameters)))
    .addCommand(
      authorisation.action((parameters: string[]) => runProgram("authorisation", parameters)),
    )
    .addHelpText("after", help);
}

const help = `
Settings come from the environment; a service's own --help lists them.

Example:
  DATABASE_URL=postgresql://stowage@db.internal/stowage \\
    AUTH_URL=https://login.example.com stowage serve uploads
`;
