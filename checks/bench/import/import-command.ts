/** Imports of lines, a directory and a bucket, first and second, beside the least they could do. */
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { cephIsMissing, makeTemporaryFolder } from "@stowage/process/testing";
import { type Command, InvalidArgumentError } from "commander";
import { bucketLines } from "../data-set/data-set.ts";
import { generatedDataSet } from "../data-set/generated-data-set.ts";
import { spreadOf } from "../measuring/statistics.ts";
import { type BenchmarkOptions, benchmarkCommand } from "../report/benchmark-command.ts";
import { markdownTable, threeDigits, wholeNumber } from "../report/tables.ts";
import { besideCopy } from "./beside-copy.ts";
import { runCommand, unchangedRuns } from "./run-command.ts";

interface ImportOptions extends Pick<BenchmarkOptions, "write"> {
  readonly uploads: number;
  readonly files: number;
  readonly objects: number;
}

export function importCommand(signal: AbortSignal): Command {
  return benchmarkCommand<ImportOptions>(
    {
      name: "import",
      summary: "imports of lines, a directory and an S3 bucket, beside COPY of the same rows",
      signal,
    },
    measureImports,
  )
    .option("--uploads <number>", "upload lines of the file", readCount, 200_000)
    .option("--files <number>", "files in the directory", readCount, 100_000)
    .option("--objects <number>", "objects in the S3 bucket", readCount, 20_000);
}

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("Need a whole number over 0.");
}

async function measureImports(
  { uploads, files, objects }: ImportOptions,
  signal: AbortSignal,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTemporaryFolder();
  stack.defer(() => folder.remove());
  const rows = [
    ...(await measureLines(join(folder.path, "lines"), uploads, signal)),
    ...(await measureDirectory(join(folder.path, "directory"), files, signal)),
    ...(cephIsMissing ? [] : await rowsOfBucket(join(folder.path, "bucket"), objects, signal)),
  ];
  const titles = ["import of", "run", "seconds", "speed of COPY = 1", "speed of bare listing = 1"];
  const table = markdownTable(titles, rows);
  return cephIsMissing ? `${table}\n\nWithout a bucket, which ${cephIsMissing}.` : table;
}

type Row = readonly string[];

async function measureLines(folder: string, count: number, signal: AbortSignal): Promise<Row[]> {
  await mkdir(folder);
  const file = join(folder, "uploads.ndjson");
  await pipeline(Readable.from(linesOf(count)), createWriteStream(file), { signal });
  return await measureImport(folder, `${wholeNumber(count)} lines`, ["ndjson", file], signal);
}

function* linesOf(uploads: number): Generator<string> {
  for (const line of bucketLines) yield `${line}\n`;
  for (const line of generatedDataSet(uploads).lines() as Iterable<string>) yield `${line}\n`;
}

async function measureDirectory(
  folder: string,
  count: number,
  signal: AbortSignal,
): Promise<Row[]> {
  const directory = join(folder, "files");
  for (const [index, path] of pathsOfFiles(count).entries()) {
    const file = join(directory, path);
    if (index % filesPerFolder === 0) await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "x");
  }
  const what = `a directory of ${wholeNumber(count)} files`;
  const bucket = ["--bucket", "files.example.com", "--organisation", "acme"];
  return await measureImport(folder, what, ["dir", directory, ...bucket], signal);
}

const filesPerFolder = 100;

function pathsOfFiles(count: number): string[] {
  return Array.from({ length: count }, (_, number) => {
    const folder = Math.floor(number / filesPerFolder);
    return `${folder % 50}/${folder}/file ${number}.txt`;
  });
}

async function measureImport(
  folder: string,
  what: string,
  parameters: readonly string[],
  signal: AbortSignal,
): Promise<Row[]> {
  const { measured, copySeconds } = await besideCopy(folder, async (databaseUrl) => {
    const run = () => runCommand(["import", ...parameters], { databaseUrl, signal });
    const first = await run();
    const unchanged: number[] = [];
    while (unchanged.length < unchangedRuns) unchanged.push(await run());
    return { first, unchanged: spreadOf(unchanged).median };
  });
  const row = (run: string, seconds: number) => [
    what,
    run,
    threeDigits(seconds),
    threeDigits(copySeconds / seconds),
    "",
  ];
  return [
    row("bare COPY", copySeconds),
    row("first", measured.first),
    row("second, unchanged", measured.unchanged),
  ];
}

/** Of the speed of a bare listing, while what is listed is also stored. */
const listingSpeedMin = 0.8;

async function rowsOfBucket(folder: string, count: number, signal: AbortSignal): Promise<Row[]> {
  // Loaded when needed: the client of stores is large, and other benchmarks measure memory.
  const { measureBucket } = await import("./measure-bucket.ts");
  const measured = await measureBucket(folder, pathsOfFiles(count), signal);
  const { copySeconds, bareListingSeconds, first, unchanged } = measured;
  const what = `a bucket of ${wholeNumber(count)} objects`;
  const row = (run: string, seconds: number, ...ratios: string[]) => [
    what,
    run,
    threeDigits(seconds),
    ...ratios,
  ];
  const besideBoth = (seconds: number) => [
    threeDigits(copySeconds / seconds),
    threeDigits(bareListingSeconds / seconds),
  ];
  const besideListing = (seconds: number) => {
    const speed = bareListingSeconds / seconds;
    return ["", `${threeDigits(speed)} ${speed >= listingSpeedMin ? "pass" : "MISS"}`];
  };
  return [
    row("bare COPY", copySeconds, "1.00", ""),
    row("bare listing", bareListingSeconds, "", "1.00"),
    row("first", first.whole, ...besideBoth(first.whole)),
    row("first: listing", first.listing, ...besideListing(first.listing)),
    row("second, unchanged", unchanged.whole, ...besideBoth(unchanged.whole)),
    row("second: listing", unchanged.listing, ...besideListing(unchanged.listing)),
  ];
}
