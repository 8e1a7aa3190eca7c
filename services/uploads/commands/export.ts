/** `stowage export`: writes what is in a bucket to stdout, in lines that `import ndjson` reads. */
import { Command } from "commander";
import { parseHostname, parsePath } from "../command-line/arguments.ts";
import { withIndex } from "../command-line/open-database.ts";
import { type CommandContext, runCommands, settingsTable } from "../command-line/program.ts";
import { exportLines } from "../export/export-lines.ts";

const help = `
The lines are those of import ndjson: the bucket, its integrations, its folders and its uploads, as
they were at one moment. Imported into an empty database, they give the same answers. A contentUrl
that the service made for the content of a source is left out.`;

await runCommands(
  {
    name: "export",
    description: "Writes what is in a bucket to stdout.",
    examples: ["stowage export ndjson --bucket photos.example.com > photos.ndjson"],
    settingsTable,
    environment: process.env,
  },
  (context) => [ndjsonCommand(context)],
);

function ndjsonCommand(context: CommandContext): Command {
  return new Command("ndjson")
    .description("Writes one JSON object a line.")
    .requiredOption("--bucket <host>", "the bucket, by host name", parseHostname)
    .option(
      "--path <folder>",
      "only this folder with what is under it, and the folders above",
      parsePath,
      "/",
    )
    .action((options: { bucket: string; path: string }) =>
      withIndex(context, ({ database }) =>
        database.read({ signal: context.signal, snapshot: true }, (statements) =>
          exportLines(statements, options, process.stdout),
        ),
      ),
    )
    .addHelpText("after", help);
}
