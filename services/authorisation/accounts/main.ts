/** The commands for the people who decide who may sign in. */
import { describeSettings, exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { commandSettings } from "../settings.ts";
import { withPoolOf } from "../store/with-pool.ts";
import { addCommand } from "./add.ts";
import { listCommand } from "./list.ts";
import { removeCommand } from "./remove.ts";
import { setPasswordCommand } from "./set-password.ts";
import { signOutCommand } from "./sign-out.ts";

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(commandSettings)}`;

await runProgram("accounts", async () => {
  const program = new Command("accounts")
    .description("Adds, lists and removes the accounts of people who sign in.")
    .addHelpText("after", settingsHelp);
  const withPool = withPoolOf("accounts", process.env);
  const parts = [addCommand, listCommand, removeCommand, setPasswordCommand, signOutCommand];
  for (const makeCommand of parts) program.addCommand(makeCommand(withPool));
  exitOnWrongUsage(program);
  await program.parseAsync();
});
