/** The import commands: they fill the index with uploads and folders. */
import { runCommands, settingsTable } from "../command-line/program.ts";
import { directoryCommand } from "./import/import-directory.ts";
import { ndjsonCommand } from "./import/import-ndjson.ts";
import { s3Command } from "./import/import-s3.ts";

await runCommands(
  {
    name: "import",
    description: "Imports uploads and folders into the index of a bucket.",
    examples: [
      "stowage import dir ~/Pictures --bucket pictures.localhost --organisation acme",
      "stowage import ndjson uploads.ndjson",
    ],
    settingsTable,
    environment: process.env,
  },
  (context) => [ndjsonCommand(context), directoryCommand(context), s3Command(context)],
);
