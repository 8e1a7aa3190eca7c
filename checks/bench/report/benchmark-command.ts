/** One benchmark as a command, which prints how it was run and its tables in Markdown. */
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, release, type } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { runPage, summaryOf, withFigures, wrapped } from "./performance-page.ts";
import { threeDigits } from "./tables.ts";

export interface BenchmarkAbout<Options = BenchmarkOptions> {
  readonly name: string;
  readonly summary: string;
  /** How long it measures, unless the command line says otherwise. None: as long as it takes. */
  readonly secondsDefault?: number;
  readonly signal: AbortSignal;
  /** The section of such a run in the documentation; the benchmark's name unless given. */
  readonly placeOf?: (options: Options) => string;
}

/** What the command line says. A benchmark may add options of its own to the command. */
export interface BenchmarkOptions {
  readonly seconds: number;
  readonly write?: true;
}

export function benchmarkCommand<
  Options extends Pick<BenchmarkOptions, "write"> = BenchmarkOptions,
>(
  { name, summary, secondsDefault, signal, placeOf = () => name }: BenchmarkAbout<Options>,
  measure: (options: Options, signal: AbortSignal) => Promise<string>,
): Command {
  const command = new Command(name).description(summary);
  if (secondsDefault !== undefined) {
    command.option("--seconds <number>", "how long to measure", readSeconds, secondsDefault);
  }
  return command
    .option("--write", "also keep the tables in docs/performance")
    .action(async (options: Options) => {
      const conditions = await describeRun(name, options);
      const figures = `${conditions}\n\n${await measure(options, signal)}`;
      process.stdout.write(`\n${figures}\n`);
      if (options.write) await keep(placeOf(options), figures);
    });
}

const folder = new URL("../../../docs/performance/", import.meta.url);

/** Keeps the whole run in a page of its own, and its summary among the current figures. */
async function keep(name: string, figures: string): Promise<void> {
  const page = new URL("figures.md", folder);
  const text = withFigures(await readFile(page, "utf8"), name, wrapped(summaryOf(figures)));
  await writeFile(new URL(`runs/${name}.md`, folder), runPage(name, figures));
  await writeFile(page, text);
}

/** Under which conditions the figures were taken. Measures for a second how busy the machine is. */
async function describeRun(name: string, options: object): Promise<string> {
  // With the defaults, so that it means the same when they change.
  const spelt = Object.entries(options).map(([option, value]) =>
    value === true ? `--${option}` : `--${option} ${value}`,
  );
  const busyBeforeMs = busyMs();
  const startMs = performance.now();
  await sleep(1000);
  const load = (busyMs() - busyBeforeMs) / (performance.now() - startMs);
  const { node, openssl } = process.versions;
  const date = new Date().toISOString().slice(0, 10);
  return [
    `\`npm run bench -- ${[name, ...spelt].join(" ")}\` on ${date}:`,
    `${cpus().length} × ${cpus()[0]?.model} (${availableParallelism()} for this process),`,
    `${type()} ${release()}, Node ${node}, OpenSSL ${openssl}.`,
    `Before the run ${threeDigits(load)} processors were busy` +
      (load <= quietLoadMax ? "." : ": **not a quiet machine**."),
  ].join("\n");
}

function busyMs(): number {
  return cpus().reduce(
    (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
    0,
  );
}

/** An idle machine has at most this load. */
const quietLoadMax = 0.1;
const secondsMax = 3600;

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= secondsMax) return seconds;
  throw new InvalidArgumentError(`Need a number of seconds up to ${secondsMax}.`);
}
