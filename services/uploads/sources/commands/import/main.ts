/** The import commands: they bring uploads and folders into the index. */
import { describeSettings, exitOnWrongUsage, readSettings, runProgram } from "@stowage/process";
import { Command } from "commander";
import { settingsTable } from "../../../import/command.ts";
import { ndjsonCommand } from "../../../import/ndjson/command.ts";
import { directoryCommand } from "../import-directory.ts";
import { s3Command } from "../import-s3.ts";

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(settingsTable)}`;

await runProgram("import", async ({ signal }) => {
  const context = { signal, settings: () => readSettings(settingsTable, process.env) };
  const program = new Command("stowage import")
    .description("Brings uploads and folders into the index of a bucket.")
    .addCommand(ndjsonCommand(context))
    .addCommand(directoryCommand(context))
    .addCommand(s3Command(context));
  for (const command of [program, ...program.commands]) command.addHelpText("after", settingsHelp);
  exitOnWrongUsage(program);
  await program.parseAsync();
});
