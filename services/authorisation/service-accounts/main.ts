/** The commands for the people who decide which programs get tokens for an assertion. */
import { describeSettings, exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { assertionCommandSettings } from "../settings.ts";
import { withPoolOf } from "../store/with-pool.ts";
import { addCommand } from "./add.ts";
import { listCommand } from "./list.ts";
import { revokeCommand } from "./revoke.ts";

const settings = describeSettings(assertionCommandSettings);
const settingsHelp = `\nSettings come from the environment:\n${settings}`;

await runProgram("service-accounts", async () => {
  const withPool = withPoolOf("service-accounts", process.env);
  const program = new Command("service-accounts")
    .description("Adds, lists and revokes accounts of programs that show an assertion.")
    .addHelpText("after", settingsHelp)
    .addCommand(addCommand(withPool, process.env))
    .addCommand(listCommand(withPool))
    .addCommand(revokeCommand(withPool));
  exitOnWrongUsage(program);
  await program.parseAsync();
});
