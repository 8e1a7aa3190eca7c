/** What `npm run bench` runs: one benchmark, by its name. */
import { exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { importCommand } from "./import/import-command.ts";
import { issuingCommand } from "./issuing/issuing-command.ts";
import { keyFloodCommand } from "./key-flood/key-flood-command.ts";
import { listsCommand } from "./lists/lists-command.ts";
import { neighboursCommand } from "./noisy-neighbours/neighbours-command.ts";
import { pageCommand } from "./page/page-command.ts";
import { searchCommand } from "./search/search-command.ts";
import { tokensCommand } from "./tokens/tokens-command.ts";
import { treesCommand } from "./trees/trees-command.ts";

const help = `
Figures mean something on a machine that does nothing else. docs/performance says how to read
them, and keeps the last ones taken with --write.
`;

await runProgram("bench", async ({ signal }) => {
  const program = new Command("npm run bench --")
    .description("Measures how fast Stowage is, beside baselines of the same run.")
    .addHelpText("after", help)
    .addCommand(tokensCommand(signal))
    .addCommand(keyFloodCommand(signal))
    .addCommand(issuingCommand(signal))
    .addCommand(listsCommand(signal))
    .addCommand(searchCommand(signal))
    .addCommand(treesCommand(signal))
    .addCommand(importCommand(signal))
    .addCommand(neighboursCommand(signal))
    .addCommand(pageCommand(signal));
  for (const command of [program, ...program.commands]) command.showHelpAfterError();
  exitOnWrongUsage(program);
  await program.parseAsync();
});
