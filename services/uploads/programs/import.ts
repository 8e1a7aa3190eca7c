/** The import commands: they fill the index with uploads and folders. */
import { runCommands, settingsTable } from "../command-line/program.ts";
import { ndjsonCommand } from "../import/ndjson/command.ts";
import { directoryCommand } from "../sources/commands/import-directory.ts";
import { s3Command } from "../sources/commands/import-s3.ts";

await runCommands(
  {
    name: "import",
    description: "Imports uploads and folders into the index of a bucket.",
    settingsTable,
    environment: process.env,
  },
  (context) => [ndjsonCommand(context), directoryCommand(context), s3Command(context)],
);
