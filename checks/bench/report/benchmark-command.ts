/** One benchmark as a command: measures, prints its tables, and keeps them where asked to. */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import { describeRun } from "./describe-run.ts";
import { runPage, summaryOf, withFigures, wrapped } from "./performance-page.ts";

export interface BenchmarkAbout<Options> {
  readonly name: string;
  readonly summary: string;
  /** How long it measures, warming up aside, unless the command line says otherwise. */
  readonly secondsDefault: number;
  readonly signal: AbortSignal;
  /** Where the page keeps the figures of such a run; the benchmark's name unless given. */
  readonly placeOf?: (options: Options) => string;
}

/** What the command line says. A benchmark may add options of its own to the command. */
export interface BenchmarkOptions {
  readonly seconds: number;
  readonly write?: true;
}

/** `measure` gives tables in Markdown, which are as readable in a terminal. */
export function benchmarkCommand<Options extends BenchmarkOptions>(
  { name, summary, secondsDefault, signal, placeOf = () => name }: BenchmarkAbout<Options>,
  measure: (options: Options, signal: AbortSignal) => Promise<string>,
): Command {
  return new Command(name)
    .description(summary)
    .option("--seconds <number>", "how long to measure", readSeconds, secondsDefault)
    .option("--write", "also keep the tables in docs/performance")
    .action(async (options: Options) => {
      const conditions = await describeRun(commandOf(name, options));
      const figures = `${conditions}\n\n${await measure(options, signal)}`;
      process.stdout.write(`\n${figures}\n`);
      if (options.write) await keep(placeOf(options), figures);
    });
}

/** With defaults spelt out, so that it means the same when those change. */
function commandOf(name: string, options: BenchmarkOptions): string {
  const spelt = Object.entries(options).map(([option, value]) =>
    value === true ? `--${option}` : `--${option} ${value}`,
  );
  return ["npm run bench --", name, ...spelt].join(" ");
}

const folder = new URL("../../../docs/performance/", import.meta.url);

/** Keeps the whole run in a page of its own, and its summary among the current figures. */
async function keep(name: string, figures: string): Promise<void> {
  const page = new URL("figures.md", folder);
  const text = withFigures(await readFile(page, "utf8"), name, wrapped(summaryOf(figures)));
  await writeFile(new URL(`runs/${name}.md`, folder), runPage(name, figures));
  await writeFile(page, text);
  process.stderr.write(`bench: the figures are now in ${fileURLToPath(folder)}
`);
}

const secondsMax = 3600;

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= secondsMax) return seconds;
  throw new InvalidArgumentError(`Need a number of seconds up to ${secondsMax}.`);
}
