/** The commands for the people who change the keys that sign tokens. */
import { describeSettings, exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { keyCommandSettings } from "../settings.ts";
import { withPoolOf } from "../store/with-pool.ts";
import { listCommand } from "./list.ts";
import { rotateCommand } from "./rotate.ts";
import { withKeysOf } from "./with-keys.ts";
import { withdrawCommand } from "./withdraw.ts";

const settings = describeSettings(keyCommandSettings);
const settingsHelp = `\nSettings come from the environment:\n${settings}`;

await runProgram("keys", async () => {
  const withPool = withPoolOf("keys", process.env);
  const withKeys = withKeysOf(withPool, process.env);
  const program = new Command("keys")
    .description("Changes the keys that sign tokens, while the service runs.")
    .addHelpText("after", settingsHelp)
    .addCommand(listCommand(withPool))
    .addCommand(rotateCommand(withKeys))
    .addCommand(withdrawCommand(withKeys));
  exitOnWrongUsage(program);
  await program.parseAsync();
});
