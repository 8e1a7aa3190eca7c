/** The import commands: they bring uploads and folders into the index. */
import { describeSettings, exitOnWrongUsage, readSettings, runProgram } from "@stowage/process";
import { Command } from "commander";
import { settingsTable } from "./command.ts";
import { directoryCommand } from "./directory/command.ts";
import { ndjsonCommand } from "./ndjson/command.ts";

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(settingsTable)}`;

await runProgram("import", async ({ signal }) => {
  const context = { signal, settings: () => readSettings(settingsTable, process.env) };
  const program = new Command("stowage import")
    .description("Brings uploads and folders into the index of a bucket.")
    .addCommand(ndjsonCommand(context))
    .addCommand(directoryCommand(context));
  for (const command of [program, ...program.commands]) command.addHelpText("after", settingsHelp);
  exitOnWrongUsage(program);
  await program.parseAsync();
});
