/** The import commands: they fill the index with uploads and folders. */
import { runCommands, settingsTable } from "../../../commands/program.ts";
import { ndjsonCommand } from "../../../import/ndjson/command.ts";
import { directoryCommand } from "../import-directory.ts";
import { s3Command } from "../import-s3.ts";

await runCommands(
  {
    name: "import",
    description: "Imports uploads and folders into the index of a bucket.",
    settingsTable,
    environment: process.env,
  },
  (context) => [ndjsonCommand(context), directoryCommand(context), s3Command(context)],
);
