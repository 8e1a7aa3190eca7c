/** The commands for the people who decide which clients may ask for tokens. */
import { describeSettings, exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { commandSettings } from "../settings.ts";
import { withPoolOf } from "../store/with-pool.ts";
import { addCommand } from "./add.ts";
import { listCommand } from "./list.ts";
import { removeCommand } from "./remove.ts";

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(commandSettings)}`;

await runProgram("clients", async () => {
  const program = new Command("clients")
    .description("Adds, lists and removes the clients that may ask for access tokens.")
    .addHelpText("after", settingsHelp);
  const withPool = withPoolOf("clients", process.env);
  for (const makeCommand of [addCommand, listCommand, removeCommand]) {
    program.addCommand(makeCommand(withPool));
  }
  exitOnWrongUsage(program);
  await program.parseAsync();
});
