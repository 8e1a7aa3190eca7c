/** What `npm run bench` runs: one benchmark, by its name. */
import { exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { benchmarkCommand } from "./benchmark-command.ts";
import { importCommand } from "./import.ts";
import { listsCommand } from "./lists.ts";
import { pageCommand } from "./page.ts";
import { searchCommand } from "./search.ts";
import { measureIssuing } from "./tokens/issuing.ts";
import { measureValidating } from "./tokens/validating.ts";
import { treesCommand } from "./trees.ts";

const help = `
Figures mean something on a machine that does nothing else. docs/performance says how to read them.
`;

await runProgram("bench", async ({ signal }) => {
  const program = new Command("npm run bench --")
    .description("Measures how fast Stowage is, beside baselines of the same run.")
    .addHelpText("after", help)
    .addCommand(tokensCommand(signal))
    .addCommand(listsCommand(signal))
    .addCommand(searchCommand(signal))
    .addCommand(treesCommand(signal))
    .addCommand(importCommand(signal))
    .addCommand(pageCommand(signal));
  for (const command of [program, ...program.commands]) command.showHelpAfterError();
  exitOnWrongUsage(program);
  await program.parseAsync();
});

function tokensCommand(signal: AbortSignal): Command {
  return benchmarkCommand(
    {
      name: "tokens",
      summary: "validating access tokens beside other libraries, issuing them beside openssl",
      secondsDefault: 120,
      signal,
    },
    async ({ seconds }) =>
      [
        await measureValidating(seconds * 0.7, signal),
        await measureIssuing(seconds * 0.3, signal),
      ].join("\n\n"),
  );
}
