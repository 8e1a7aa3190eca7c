/** `stowage export`: writes what is in a bucket to stdout, in lines that `import ndjson` reads. */
import { Command } from "commander";
import {
  type CommandContext,
  parseHostname,
  parsePath,
  runCommands,
  settingsTable,
  withIndex,
} from "../import/command.ts";
import { exportLines } from "./export-lines.ts";

const help = `
The lines are those of import ndjson: the bucket, its integrations, its folders and its uploads, as
they were at one moment. Imported into an empty database, they give the same answers. A contentUrl
that the service made for the content of a source is left out.`;

await runCommands(
  {
    name: "export",
    description: "Writes what is in a bucket to stdout.",
    settingsTable,
    environment: process.env,
  },
  (context) => [ndjsonCommand(context)],
);

function ndjsonCommand({ signal, settings }: CommandContext): Command {
  return new Command("ndjson")
    .description("Writes one JSON object a line.")
    .requiredOption("--bucket <host>", "the bucket, by host name", parseHostname)
    .option("--path <folder>", "only this folder and what is under it", parsePath, "/")
    .action((options: { bucket: string; path: string }) =>
      withIndex("export", settings(), ({ database }) =>
        database.read({ signal, snapshot: true }, (statements) =>
          exportLines(statements, options, process.stdout),
        ),
      ),
    )
    .addHelpText("after", help);
}
