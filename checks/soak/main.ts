/** What `npm run soak` runs: services under load, and everything that may happen to them. */
import { exitOnWrongUsage, runProgram } from "@stowage/process";
import { Argument, Command } from "commander";
import { seed } from "../conformance/samples/random-bucket.ts";
import { positiveNumber } from "../testing/positive-number.ts";
import { runSoak } from "./run-soak.ts";
import { scenarios } from "./scenarios.ts";

const list = Object.entries(scenarios).map(
  ([name, { summary }]) => `  ${name.padEnd(14)}${summary}`,
);

const help = `
Scenarios:
${list.join("\n")}

Answers of the uploads service are compared with the conformance model. Fails if an answer is wrong,
if an error is none of api/errors.md, if a fault does not explain it, if the service has not
recovered in time, or if its memory, handles or database connections grew by more than 5 %.
Times mean something on a machine that does nothing else.
`;

await runProgram("soak", async ({ signal }) => {
  const names = new Argument("[scenario...]", "all, unless given").choices(Object.keys(scenarios));
  const program = new Command("npm run soak --")
    .description("Keeps services under load, causes faults, and checks every answer.")
    .addArgument(names)
    .option("--minutes <number>", "how long each lasts at least", positiveNumber, 10)
    .option("--pace <part>", "of the usual rates, on a slow machine", positiveNumber, 1)
    .addHelpText("after", help)
    .showHelpAfterError();
  exitOnWrongUsage(program);
  program.parse();
  const { minutes, pace } = program.opts<{ minutes: number; pace: number }>();
  const given = program.args.length > 0 ? program.args : Object.keys(scenarios);
  const say = (line: string) =>
    process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
  say(`seed ${seed}`);
  const failed: string[] = [];
  for (const name of given) {
    if (signal.aborted) break;
    say(`scenario ${name}`);
    const options = { durationMs: minutes * 60_000, judgesTimes: true, seed, pace, signal, say };
    const problems = await runSoak(scenarios[name]!, options);
    if (problems.length > 0) failed.push(name);
  }
  if (failed.length > 0) throw new Error(`some promises were not kept: ${failed.join(", ")}`);
});
