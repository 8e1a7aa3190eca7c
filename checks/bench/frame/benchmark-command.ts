/** One benchmark as a command: measures, prints its tables, and keeps them where asked to. */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import { describeRun } from "./describe-run.ts";
import { withFigures } from "./performance-page.ts";

export interface BenchmarkCommandOptions {
  readonly name: string;
  readonly summary: string;
  /** How long it measures, warming up aside, unless the command line says otherwise. */
  readonly secondsDefault: number;
  readonly signal: AbortSignal;
}

export interface BenchmarkRun {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** `measure` gives tables in Markdown, which are as readable in a terminal. */
export function benchmarkCommand(
  { name, summary, secondsDefault, signal }: BenchmarkCommandOptions,
  measure: (run: BenchmarkRun) => Promise<string>,
): Command {
  return new Command(name)
    .description(summary)
    .option("--seconds <number>", "how long to measure", readSeconds, secondsDefault)
    .option("--write", "also keep the tables in docs/performance.md")
    .action(async ({ seconds, write }: { seconds: number; write?: true }) => {
      const conditions = await describeRun(`npm run bench -- ${name} --seconds ${seconds}`);
      const figures = `${conditions}\n\n${await measure({ seconds, signal })}`;
      process.stdout.write(`\n${figures}\n`);
      if (write) await keep(name, figures);
    });
}

const page = fileURLToPath(new URL("../../../docs/performance.md", import.meta.url));

async function keep(name: string, figures: string): Promise<void> {
  await writeFile(page, withFigures(await readFile(page, "utf8"), name, figures));
  process.stderr.write(`bench: the figures are now in ${page}\n`);
}

const secondsMax = 3600;

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= secondsMax) return seconds;
  throw new InvalidArgumentError(`Need a number of seconds up to ${secondsMax}.`);
}
