/** The commands for the people who decide which clients may ask for tokens. */
import { describeSettings, runProgram } from "@stowage/process";
import { Command } from "commander";
import { exitOnWrongUsage } from "../command-line.ts";
import { commandSettings } from "../settings.ts";
import { addCommand } from "./add.ts";
import { listCommand } from "./list.ts";
import { removeCommand } from "./remove.ts";

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(commandSettings)}`;

await runProgram("clients", async () => {
  const program = new Command("clients")
    .description("Adds, lists and removes the clients that may ask for access tokens.")
    .addHelpText("after", settingsHelp);
  for (const command of [addCommand(), listCommand(), removeCommand()]) program.addCommand(command);
  exitOnWrongUsage(program);
  await program.parseAsync();
});
