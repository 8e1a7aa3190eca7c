/** What `npm run mixed-load` runs: many calls and a fault every so often, for as long as wanted. */
import { exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command, Option } from "commander";
import { seed } from "../conformance/samples/random-bucket.ts";
import { positiveNumber } from "../testing/positive-number.ts";
import { growthMax, runMixedLoad } from "./mixed-load.ts";
import { growthOf } from "./usage.ts";
import type { DatabaseKind } from "./world.ts";

const help = `
Starts the uploads service with two workers and a PostgreSQL of its own. Every answer is compared
with the conformance model. Fails if one is wrong, if an error is not one of api/errors.md or was
unexpected, or if memory or handles grew by more than 5 %.
`;

interface Options {
  minutes: number;
  faultEvery: number;
  database: DatabaseKind;
}

await runProgram("mixed-load", async ({ signal }) => {
  const program = new Command("npm run mixed-load --")
    .description("Mixes all kinds of calls with faults, and checks every answer.")
    .option("--minutes <number>", "how long", positiveNumber, 30)
    .option("--fault-every <seconds>", "time from one fault to the next", positiveNumber, 30)
    .addOption(
      new Option("--database <kind>", "whose PostgreSQL the service uses")
        .choices(["external", "embedded"])
        .default("external"),
    )
    .addHelpText("after", help)
    .showHelpAfterError();
  exitOnWrongUsage(program);
  program.parse();
  const { minutes, faultEvery, database } = program.opts<Options>();

  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`seed ${seed}`);
  const { problems, summary, serviceLog, before, after } = await runMixedLoad({
    kind: database,
    durationMs: minutes * 60_000,
    faultIntervalMs: faultEvery * 1000,
    seed,
    signal,
    say: (line) => say(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  for (const line of summary) say(line);
  for (const problem of problems) say(`PROBLEM ${problem}`);
  const { memoryBytes, handles } = growthOf(before, after);
  if (problems.length > 0) process.stderr.write(`The log of the service:\n${serviceLog}`);
  if (problems.length > 0) throw new Error("some answers were wrong or unexpected");
  if (Math.max(memoryBytes, handles) > growthMax) throw new Error("memory or handles grew");
});
