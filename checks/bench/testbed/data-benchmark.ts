/** A benchmark of the uploads service on a loaded database, as a command. */
import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { root } from "../../testing/programs.ts";
import type { DataSet } from "../data-set/data-set.ts";
import { generatedDataSet } from "../data-set/generated-data-set.ts";
import { listedDataSet } from "../data-set/listed-data-set.ts";
import { figuresTable, type Measure, measureProbes, type Probe } from "../measuring/probes.ts";
import {
  type BenchmarkAbout,
  type BenchmarkOptions,
  benchmarkCommand,
} from "../report/benchmark-command.ts";
import { openTestbed, type Testbed } from "./testbed.ts";

interface DataBenchmarkOptions extends BenchmarkOptions {
  readonly rows: number;
  readonly paths?: string;
  readonly against?: string;
  readonly fresh?: true;
  readonly data?: string;
}

/** A probe that is measured on a testbed: on the new checkout and on the old one. */
export interface TestbedProbe extends Pick<Probe, "figures"> {
  readonly measure: (testbed: Testbed, turnMs: number) => ReturnType<Measure>;
}

interface DataBenchmarkAbout extends BenchmarkAbout<DataBenchmarkOptions> {
  /** The longest turn of one side of a probe, unless the usual one is right. */
  readonly turnMsMax?: number;
  /** Settings of the service that differ from their defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Probes beside baselines. What they use is to be disposed of with the stack. */
  readonly probes: (testbed: Testbed, stack: AsyncDisposableStack) => Promise<readonly Probe[]>;
  /** Probes that compare two checkouts, if there are any. */
  readonly againstProbes?: readonly TestbedProbe[];
}

const rowsDefault = 1_000_000;
const roundsMin = 2;

/** With the ratio new/old: what a change must keep. */
export const keptRate = { ratioMin: 0.97 };
export const keptBinaryRate = { ratioMin: 0.9 };
export const keptCost = { ratioMax: 1.03 };

export function dataBenchmarkCommand(about: DataBenchmarkAbout): Command {
  const placeOf = ({ rows, against }: DataBenchmarkOptions) => {
    if (against !== undefined) return `${about.name}-against`;
    return rows === rowsDefault ? about.name : `${about.name}-${rows}`;
  };
  const command = benchmarkCommand(
    { ...about, placeOf },
    async (options: DataBenchmarkOptions, signal) => {
      try {
        return await measure(about, options, signal);
      } catch (error) {
        // Ctrl-C reaches the service as well. That it stops answering is not the cause.
        signal.throwIfAborted();
        throw error;
      }
    },
  )
    .option("--rows <number>", "how many uploads there are", readRows, rowsDefault)
    .option("--paths <file>", "take paths from a text file, one a line")
    .option("--fresh", "load the data even if it is there from an earlier run")
    .option("--data <folder>", "where loaded data is kept (default: ./data/bench)");
  if (about.againstProbes === undefined) return command;
  return command.option(
    "--against <checkout>",
    "compare with another checkout, which has its own npm ci",
  );
}

async function measure(
  { environment = {}, turnMsMax, probes, againstProbes = [] }: DataBenchmarkAbout,
  options: DataBenchmarkOptions,
  signal: AbortSignal,
): Promise<string> {
  const { rows, paths, against, seconds, fresh = false, data } = options;
  await using stack = new AsyncDisposableStack();
  const folder = { path: data ?? join(root, "data", "bench"), isDefault: data === undefined };
  const dataSet: DataSet =
    paths === undefined ? generatedDataSet(rows) : await listedDataSet(paths, rows);
  const open = async (checkout: string) =>
    stack.use(await openTestbed(dataSet, { checkout, folder, fresh, environment, signal }));

  const testbed = await open(root);
  const old = against === undefined ? undefined : await open(resolve(against));
  const names = old
    ? { baseline: "old", subject: "new" }
    : { baseline: "baseline", subject: "service" };
  const measured = await measureProbes(
    old ? againstProbes.map((probe) => paired(probe, old, testbed)) : await probes(testbed, stack),
    { seconds, ...(turnMsMax && { turnMsMax }), roundsMin, signal },
  );
  return `${testbed.description}\n\n${figuresTable(measured, names)}`;
}

function paired({ figures, measure }: TestbedProbe, old: Testbed, testbed: Testbed): Probe {
  return {
    figures,
    baseline: (turnMs) => measure(old, turnMs),
    subject: (turnMs) => measure(testbed, turnMs),
  };
}

const rowsMin = 200;
/** More take more than a day to load. */
const rowsMax = 1_000_000_000;

function readRows(text: string): number {
  const rows = Number(text);
  if (Number.isInteger(rows) && rows >= rowsMin && rows <= rowsMax) return rows;
  throw new InvalidArgumentError(`Need a whole number from ${rowsMin} to ${rowsMax}.`);
}
