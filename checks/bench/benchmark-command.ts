/** One benchmark as a command, which prints how it was run and its tables in Markdown. */
import { availableParallelism, cpus, release, type } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { threeDigits } from "./tables.ts";

export interface BenchmarkAbout {
  readonly name: string;
  readonly summary: string;
  /** How long it measures, unless the command line says otherwise. None: as long as it takes. */
  readonly secondsDefault?: number;
  readonly signal: AbortSignal;
}

/** What the command line says. A benchmark may add options of its own to the command. */
export interface BenchmarkOptions {
  readonly seconds: number;
}

export function benchmarkCommand<Options extends object = BenchmarkOptions>(
  { name, summary, secondsDefault, signal }: BenchmarkAbout,
  measure: (options: Options, signal: AbortSignal) => Promise<string>,
): Command {
  const command = new Command(name).description(summary);
  if (secondsDefault !== undefined) {
    command.option("--seconds <number>", "how long to measure", readSeconds, secondsDefault);
  }
  return command.action(async (options: Options) => {
    const conditions = await describeRun(name, options);
    process.stdout.write(`\n${conditions}\n\n${await measure(options, signal)}\n`);
  });
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

/** Reads an option that is a count. */
export function readCount(text: string): number {
  const count = Number(text);
  // More than a milliard of uploads take more than a day to load.
  if (Number.isInteger(count) && count >= 200 && count <= 1e9) return count;
  throw new InvalidArgumentError("Need a whole number from 200 to 1,000,000,000.");
}
