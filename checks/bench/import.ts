/** Imports of lines, a directory and a bucket, beside the least that could be done. */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cephIsMissing, makeTemporaryFolder, startCeph } from "@stowage/process/testing";
import type { Command } from "commander";
import { fillBucket } from "../testing/fill-bucket.ts";
import { root } from "../testing/programs.ts";
import { benchmarkCommand, readCount } from "./benchmark-command.ts";
import { besideBulk } from "./beside-bulk.ts";
import { generatedDataSet, pathsDataSet, writeLines } from "./data-set.ts";
import { percentileOf } from "./probes.ts";
import { runStowage } from "./run-stowage.ts";
import { markdownTable, threeDigits, wholeNumber } from "./tables.ts";

interface ImportOptions {
  readonly uploads: number;
  readonly paths?: string;
  readonly files: number;
  readonly objects: number;
}

export function importCommand(signal: AbortSignal): Command {
  return benchmarkCommand(
    {
      name: "import",
      summary: "imports of lines, a directory and an S3 bucket, beside COPY and indexes by sorting",
      signal,
    },
    measureImports,
  )
    .option("--uploads <number>", "upload lines of the file", readCount, 200_000)
    .option("--paths <file>", "the paths of the uploads, one a line, in place of made ones")
    .option("--files <number>", "files in the directory", readCount, 100_000)
    .option("--objects <number>", "objects in the S3 bucket", readCount, 20_000);
}

async function measureImports(
  { uploads, paths, files, objects }: ImportOptions,
  signal: AbortSignal,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const temporary = await makeTemporaryFolder();
  stack.defer(() => temporary.remove());
  const context = { folder: temporary.path, signal };
  const rows = [
    ...(await measureLines(context, uploads, paths)),
    ...(await measureDirectory(context, files)),
    ...(cephIsMissing ? [] : await measureBucket(context, objects)),
  ];
  const table = markdownTable(["import of", "run", "seconds", "least = 1"], rows);
  return cephIsMissing ? `${table}\n\nWithout a bucket, which ${cephIsMissing}.` : table;
}

interface Context {
  /** For files of this run. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

type Rows = readonly (readonly string[])[];

async function measureLines(context: Context, count: number, paths?: string): Promise<Rows> {
  const file = join(context.folder, "uploads.ndjson");
  const dataSet =
    paths === undefined ? generatedDataSet(count) : pathsDataSet(await readFile(paths, "utf8"));
  await writeLines(dataSet, file);
  const what = paths === undefined ? `${wholeNumber(count)} lines` : `the paths of ${paths}`;
  return await measureRuns(context, what, {
    command: ["import", "ndjson", file],
  });
}

const place = ["--bucket", "files.example.com", "--organisation", "acme"];

async function measureDirectory(context: Context, count: number): Promise<Rows> {
  const directory = join(context.folder, "files");
  for (const [index, path] of pathsOfFiles(count).entries()) {
    const file = join(directory, path);
    if (index % filesPerFolder === 0) await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "x");
  }
  const columns = "%p\\t%s\\t%T@\\t%B@\\t%i\\n";
  return await measureRuns(context, `a directory of ${wholeNumber(count)} files`, {
    command: ["import", "dir", directory, ...place],
    listing: ["find", directory, "-printf", columns],
  });
}

const filesPerFolder = 100;

function pathsOfFiles(count: number): string[] {
  return Array.from({ length: count }, (_, number) => {
    const folder = Math.floor(number / filesPerFolder);
    return `${folder % 50}/${folder}/file ${number}.txt`;
  });
}

async function measureBucket(context: Context, count: number): Promise<Rows> {
  const server = await startCeph();
  try {
    const objects = new Map(pathsOfFiles(count).map((key) => [key, "x"]));
    await fillBucket(server, "files", objects, context.signal);
    const store = ["--endpoint", server.endpoint, "--path-style", "--name", "files"];
    return await measureRuns(context, `a bucket of ${wholeNumber(count)} objects`, {
      prepare: ["sources", "add", "s3", "s3://files", ...place, ...store],
      command: ["sources", "sync", "files"],
      listing: [process.execPath, bareListing, server.endpoint, "files"],
      environment: server.environment,
    });
  } finally {
    await server.stop();
  }
}

/** Runs in which nothing changed. The medians of so many differ little. */
const unchangedRuns = 3;

const bareListing = fileURLToPath(new URL("./bare-listing.ts", import.meta.url));

interface Runs {
  readonly prepare?: readonly string[];
  readonly command: readonly string[];
  /** A program that only lists the same place. */
  readonly listing?: readonly [string, ...string[]];
  readonly environment?: NodeJS.ProcessEnv;
}

async function measureRuns(context: Context, what: string, runs: Runs): Promise<Rows> {
  const { environment } = runs;
  const { measured, bulkSeconds } = await besideBulk(context.folder, async (databaseUrl) => {
    const options = { checkout: root, databaseUrl, environment, signal: context.signal };
    const run = (command: readonly string[]) => runStowage(command, options);
    if (runs.prepare) await run(runs.prepare);
    const first = await run(runs.command);
    const unchanged: number[] = [];
    while (unchanged.length < unchangedRuns) unchanged.push(await run(runs.command));
    return { first, unchanged: percentileOf(unchanged, 50) };
  });
  const listingSeconds = runs.listing && (await timeOf(runs.listing, environment));
  const least = bulkSeconds + (listingSeconds ?? 0);
  const row = (run: string, seconds: number) => [
    ...[what, run, threeDigits(seconds), threeDigits(seconds / least)],
  ];
  return [
    row("COPY and indexes by sorting", bulkSeconds),
    ...(listingSeconds === undefined ? [] : [row("bare listing", listingSeconds)]),
    row("first", measured.first),
    row("second, unchanged", measured.unchanged),
  ];
}

async function timeOf(
  [program, ...options]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv | undefined,
): Promise<number> {
  const startMs = performance.now();
  await promisify(execFile)(program, options, {
    env: { ...process.env, ...environment },
    maxBuffer: 1024 ** 3,
  });
  return (performance.now() - startMs) / 1000;
}
