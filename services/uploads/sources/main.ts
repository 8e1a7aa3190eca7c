/** The commands of sources: what folders of buckets mirror, and the runs that keep them so. */
import { describeSettings, exitOnWrongUsage, readSettings, runProgram } from "@stowage/process";
import { Command } from "commander";
import { addCommand } from "./commands/add-source.ts";
import { pauseCommand, removeCommand, resumeCommand } from "./commands/change-source.ts";
import { settingsTable } from "./commands/context.ts";
import { listCommand, runsCommand } from "./commands/list-sources.ts";
import { syncCommand } from "./commands/sync-source.ts";

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(settingsTable)}`;

await runProgram("sources", async ({ signal }) => {
  const context = { signal, settings: () => readSettings(settingsTable, process.env) };
  const program = new Command("stowage sources")
    .description("Adds, lists, runs and removes the sources of buckets.")
    .addCommand(addCommand(context))
    .addCommand(listCommand(context))
    .addCommand(runsCommand(context))
    .addCommand(syncCommand(context))
    .addCommand(pauseCommand(context))
    .addCommand(resumeCommand(context))
    .addCommand(removeCommand(context));
  for (const command of [program, ...program.commands]) command.addHelpText("after", settingsHelp);
  exitOnWrongUsage(program);
  await program.parseAsync();
});
