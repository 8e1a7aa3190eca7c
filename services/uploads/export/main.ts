/** `stowage export`: writes what is in a bucket to stdout, in lines that `import ndjson` reads. */
import { describeSettings, exitOnWrongUsage, readSettings, runProgram } from "@stowage/process";
import { Command } from "commander";
import { parseHostname, parsePath, settingsTable, withIndex } from "../import/command.ts";
import { exportLines } from "./export-lines.ts";

const help = `
The lines are those of import ndjson: the bucket, its integrations, its folders and its uploads, as
they were at one moment. Imported into an empty database, they give the same answers. A contentUrl
that the service made for the content of a source is left out.

Settings come from the environment:
${describeSettings(settingsTable)}`;

await runProgram("export", async ({ signal }) => {
  const ndjson = new Command("ndjson")
    .description("Writes one JSON object a line.")
    .requiredOption("--bucket <host>", "the bucket, by host name", parseHostname)
    .option("--path <folder>", "only this folder and what is under it", parsePath, "/")
    .action((options: { bucket: string; path: string }) =>
      withIndex("export", readSettings(settingsTable, process.env), ({ database }) =>
        database.read({ signal, snapshot: true }, (statements) =>
          exportLines(statements, options, process.stdout),
        ),
      ),
    )
    .addHelpText("after", help);
  const program = new Command("stowage export")
    .description("Writes what is in a bucket to stdout.")
    .addCommand(ndjson);
  exitOnWrongUsage(program);
  await program.parseAsync();
});
