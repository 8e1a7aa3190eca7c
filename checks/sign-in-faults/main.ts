/** What `npm run sign-in-faults` runs: the authorisation service in trouble, for minutes. */
import { exitOnWrongUsage, runProgram } from "@stowage/process";
import { Command } from "commander";
import { positiveNumber } from "../testing/positive-number.ts";
import { growthBytesMax, mebibytes, runFlood } from "./flood.ts";
import { recoveryMaxMs, runNetworkFaults } from "./network-faults.ts";
import { ratioMax, runStrangers } from "./strangers.ts";

await runProgram("sign-in-faults", async ({ signal }) => {
  const program = new Command("npm run sign-in-faults --");
  const say = (line: string) =>
    process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
  const report = (problems: readonly string[], summary: readonly string[]) => {
    for (const line of summary) process.stdout.write(`${line}\n`);
    for (const problem of problems) process.stdout.write(`PROBLEM ${problem}\n`);
    if (problems.length > 0) throw new Error("some answers were not allowed, or too late");
  };
  program
    .command("network")
    .description(
      "The network to the database cuts, freezes and delays connections while 20 clients sign in " +
        `and refresh: no grant is lost, and calls succeed ${recoveryMaxMs} ms after each fault.`,
    )
    .option("--minutes <number>", "how long", positiveNumber, 10)
    .action(async ({ minutes }: { minutes: number }) => {
      const durationMs = minutes * 60_000;
      const times = { durationMs, faultMaxMs: 15_000, pauseMs: 3000 };
      const { problems, summary } = await runNetworkFaults({ ...times, signal, say });
      report(problems, summary);
    });
  program
    .command("flood")
    .description(
      "An hour of pushed requests and sign-ins that nobody completes, in less time by shorter " +
        `lifetimes: the database grows by less than ${mebibytes(growthBytesMax)}.`,
    )
    .option("--seconds <number>", "how long", positiveNumber, 120)
    .action(async ({ seconds }: { seconds: number }) => {
      const durationMs = seconds * 1000;
      // Pushed requests live a minute too: after one, the number of stored records is stable.
      const { problems, summary, growthBytes } = await runFlood({
        ...{ durationMs, pageSeconds: 60, signal, say },
      });
      report(problems, [...summary, `the database grew by ${mebibytes(growthBytes)}`]);
      if (growthBytes > growthBytesMax) throw new Error("the database grew by too much");
    });
  program
    .command("strangers")
    .description(
      "100 requests a second of unknown clients, beside 20 sign-ins in ten seconds and 50 tokens " +
        `a second: nobody else is refused, and their p99 is at most ${ratioMax} times as long. ` +
        "Needs a machine with nothing else to do.",
    )
    .option("--rounds <number>", "20 s each: ten without strangers, ten with", positiveNumber, 6)
    .action(async ({ rounds }: { rounds: number }) => {
      const rates = { strangers: 100, signIns: 2, tokens: 50 };
      const times = { rounds, turnMs: 10_000 };
      const { problems, delays, summary } = await runStrangers({ ...times, rates, signal, say });
      report([...problems, ...delays], summary);
    });
  exitOnWrongUsage(program);
  await program.parseAsync();
});
