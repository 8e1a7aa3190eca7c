/** A benchmark that measures the uploads service on a loaded database, as a command. */
import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { root } from "../../testing/programs.ts";
import type { DataSet } from "../data-set/data-set.ts";
import { generatedDataSet } from "../data-set/generated-data-set.ts";
import { listedDataSet } from "../data-set/listed-data-set.ts";
import {
  type BenchmarkAbout,
  type BenchmarkOptions,
  benchmarkCommand,
} from "../frame/benchmark-command.ts";
import type { Sides } from "../frame/comparison.ts";
import { openStage, type Stage } from "./stage.ts";

export interface DataBenchmarkOptions extends BenchmarkOptions {
  readonly rows: number;
  readonly paths?: string;
  readonly fresh?: true;
  readonly data?: string;
  readonly against?: string;
}

export interface DataBenchmarkAbout<Options> extends BenchmarkAbout<Options> {
  /** Settings of the service that are not as they come. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface DataBenchmarkRun {
  readonly stage: Stage;
  /** A second one, on data made with another number of uploads; whoever opens it ends it. */
  readonly openOther: (rows: number) => Promise<Stage>;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

const rowsDefault = 1_000_000;

export function dataBenchmarkCommand<Options extends DataBenchmarkOptions>(
  { environment = {}, ...about }: DataBenchmarkAbout<Options>,
  measure: (run: DataBenchmarkRun, options: Options) => Promise<string>,
  compare: (run: DataBenchmarkRun, sides: Sides<Stage>) => Promise<string>,
): Command {
  const placeOf = ({ rows }: Options) =>
    rows === rowsDefault ? about.name : `${about.name}-${rows}`;
  return benchmarkCommand({ ...about, placeOf }, async (options: Options, signal: AbortSignal) => {
    const { seconds, fresh = false, data, against } = options;
    const stageOptions = { checkout: root, folder: folderOf(data), fresh, environment, signal };
    const openOther = (rows: number) => openStage(generatedDataSet(rows), stageOptions);
    try {
      const dataSet = await dataSetOf(options);
      await using stage = await openStage(dataSet, stageOptions);
      const run = { stage, openOther, seconds, signal };
      if (against !== undefined) {
        const checkout = resolve(against);
        await using old = await openStage(dataSet, { ...stageOptions, checkout });
        return `${stage.description}\n\n${await compare(run, { old, new: stage })}`;
      }
      return `${stage.description}\n\n${await measure(run, options)}`;
    } catch (error) {
      // Ctrl-C reaches the service as well: that it no longer answers is not what went wrong.
      signal.throwIfAborted();
      throw error;
    }
  })
    .option("--rows <number>", "how many uploads there are", readRows, rowsDefault)
    .option("--paths <file>", "take paths from a file, one a line: plain, .gz or .xz")
    .option("--against <checkout>", "compare with another checkout of the project")
    .option("--fresh", "load the data even if it is there from an earlier run")
    .option("--data <folder>", "where loaded data is kept (default: ./data/bench)");
}

function folderOf(given: string | undefined) {
  return { path: given ?? join(root, "data", "bench"), isDefault: given === undefined };
}

async function dataSetOf({ rows, paths }: DataBenchmarkOptions): Promise<DataSet> {
  return paths === undefined ? generatedDataSet(rows) : await listedDataSet(paths, rows);
}

const rowsMin = 200;
/** More take more than a day to load. */
const rowsMax = 1_000_000_000;

/** For the command line. */
export function readRows(text: string): number {
  const rows = Number(text);
  if (Number.isInteger(rows) && rows >= rowsMin && rows <= rowsMax) return rows;
  throw new InvalidArgumentError(`Need a whole number from ${rowsMin} to ${rowsMax}.`);
}
