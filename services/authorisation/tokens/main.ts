/** The commands for the people who take tokens back. */
import { describeSettings, exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { commandSettings } from "../settings.ts";
import { withPoolOf } from "../store/with-pool.ts";
import { revokeCommand } from "./revoke.ts";

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(commandSettings)}`;

await runProgram("tokens", async () => {
  const program = new Command("tokens")
    .description("Revokes access tokens before they expire.")
    .addHelpText("after", settingsHelp)
    .addCommand(revokeCommand(withPoolOf("tokens", process.env)));
  exitOnWrongUsage(program);
  await program.parseAsync();
});
