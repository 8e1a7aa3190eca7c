/** A benchmark of the uploads service on a loaded database, as a command. */
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { root } from "../testing/programs.ts";
import {
  type BenchmarkAbout,
  type BenchmarkOptions,
  benchmarkCommand,
  readCount,
} from "./benchmark-command.ts";
import { generatedDataSet } from "./data-set.ts";
import { figuresTable, type Measure, measureProbes, type Probe } from "./probes.ts";
import { openTestbed, type Testbed } from "./testbed.ts";

interface DataBenchmarkOptions extends BenchmarkOptions {
  readonly rows: number;
  readonly against?: string;
  readonly fresh?: boolean;
  readonly data?: string;
}

/** A probe that is measured on a testbed: on the new checkout and on the old one. */
export interface TestbedProbe extends Pick<Probe, "figures"> {
  readonly measure: (testbed: Testbed, turnMs: number) => ReturnType<Measure>;
}

interface DataBenchmarkAbout extends BenchmarkAbout {
  /** Settings of the service that differ from their defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Probes beside baselines. What they use is to be disposed of with the stack. */
  readonly probes: (testbed: Testbed, stack: AsyncDisposableStack) => Promise<readonly Probe[]>;
  /** Probes that compare two checkouts. */
  readonly againstProbes: readonly TestbedProbe[];
}

const rowsDefault = 1_000_000;
const roundsMin = 2;

/** With the ratio new/old: what a change must keep. */
export const keptRate = { ratioMin: 0.97 };
export const keptBinaryRate = { ratioMin: 0.9 };
export const keptCost = { ratioMax: 1.03 };

export function dataBenchmarkCommand(about: DataBenchmarkAbout): Command {
  return benchmarkCommand(about, (options: DataBenchmarkOptions, signal) =>
    measure(about, options, signal).catch((error: unknown) => {
      // Ctrl-C reaches the service as well. That it stops answering is not the cause.
      signal.throwIfAborted();
      throw error;
    }),
  )
    .option("--rows <number>", "how many uploads there are", readCount, rowsDefault)
    .option("--fresh", "load the data even if it is there from an earlier run")
    .option("--data <folder>", "where loaded data is kept (default: ./data/bench)")
    .option("--against <checkout>", "compare with another checkout, which has its own npm ci");
}

async function measure(
  { environment = {}, probes, againstProbes }: DataBenchmarkAbout,
  { rows, against, seconds, fresh = false, data }: DataBenchmarkOptions,
  signal: AbortSignal,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const folder = { path: data ?? join(root, "data", "bench"), isDefault: data === undefined };
  const dataSet = generatedDataSet(rows);
  const open = async (checkout: string) =>
    stack.use(await openTestbed(dataSet, { checkout, folder, fresh, environment, signal }));

  const testbed = await open(root);
  const old = against === undefined ? undefined : await open(resolve(against));
  const names = old
    ? { baseline: "old", subject: "new" }
    : { baseline: "baseline", subject: "service" };
  const measured = await measureProbes(
    old ? againstProbes.map((probe) => paired(probe, old, testbed)) : await probes(testbed, stack),
    { seconds, roundsMin, signal },
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
