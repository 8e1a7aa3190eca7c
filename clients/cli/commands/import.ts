/** `stowage import`: brings uploads and folders into the index. */
import { Command } from "commander";
import { runProgram } from "../programs/run-program.ts";
import { passedThrough } from "./passed-through.ts";

/** The command, for `main.ts`. */
export function importCommand(): Command {
  const ndjson = passedThrough("ndjson", "a file of one JSON object a line, or - for stdin");
  const directory = passedThrough("dir", "the files of a directory");
  return new Command("import")
    .enablePositionalOptions()
    .helpCommand(false)
    .description("Brings uploads and folders into the index of a bucket.")
    .addCommand(
      ndjson.action((parameters: string[]) => runProgram("import", ["ndjson", ...parameters])),
    )
    .addCommand(
      directory.action((parameters: string[]) => runProgram("import", ["dir", ...parameters])),
    )
    .addHelpText("after", help);
}

const help = `
It writes to the database that DATABASE_URL or DATA_DIR names; each command's own --help says more.

Examples:
  stowage import dir ~/Pictures --bucket pictures.localhost --organisation acme
  stowage import ndjson uploads.ndjson
`;
