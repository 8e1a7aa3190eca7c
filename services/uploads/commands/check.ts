/**
 * Checks the derived data of the index: the sizes of buckets and the totals of folders against
 * counts, the positions of folders and uploads against their paths, and the skip index against the
 * names of the uploads. Exits with 1 if something is wrong. With `--repair`, it corrects what is
 * wrong.
 */
import {
  describeSettings,
  exitOnWrongUsage,
  printText,
  readCommandSettings,
  runProgram,
} from "@stowage/process";
import { Command } from "commander";
import { findWrong, type Wrong, wrongText } from "../check/find-wrong.ts";
import { repairBuckets } from "../check/repair.ts";
import { type OpenIndex, withIndex } from "../command-line/open-database.ts";
import { settingsTable } from "../command-line/program.ts";
import { onOneConnection } from "../postgres/one-connection.ts";

await runProgram("stowage", async ({ signal }) => {
  const settings = () => readCommandSettings("check", settingsTable, process.env);
  const program = new Command("stowage check")
    .description("Compares stored sizes, positions, totals and skip indexes with the rows.")
    .option("--repair", "correct what is wrong; imports into those buckets wait meanwhile")
    .addHelpText(
      "after",
      `\nSettings come from the environment:\n${describeSettings(settingsTable)}`,
    )
    .action(({ repair: repairs = false }: { repair?: boolean }) =>
      withIndex({ name: "check", signal, settings }, (index) => checkIndex(index, repairs, signal)),
    );
  exitOnWrongUsage(program);
  await program.parseAsync();
});

async function checkIndex(
  { database, pool }: OpenIndex,
  repairs: boolean,
  signal: AbortSignal,
): Promise<void> {
  const check = () =>
    database.read({ signal, snapshot: true }, ({ run }) =>
      findWrong(run, (line) => printText(`${line}\n`)),
    );
  if (!repairs) return requireRight(await check());
  const repaired = await onOneConnection(pool, signal, async (client) => {
    const wrong = await check();
    await repairBuckets(client, wrong);
    return wrongText(wrong);
  });
  if (repaired === "") return;
  printText(`repaired ${repaired}; checking again\n`);
  requireRight(await check());
}

function requireRight(wrong: Wrong): void {
  const text = wrongText(wrong);
  if (text === "") return;
  throw new Error(
    `The index does not match its rows: ${text}; stowage check --repair corrects that, and ` +
      "please report how it happened",
  );
}
